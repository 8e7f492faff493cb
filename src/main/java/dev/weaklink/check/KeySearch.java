package dev.weaklink.check;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.signature.EncodedCertificate;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.Root;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Of which modules the signature makes a difference on any target, asked while they are read; with
 * the first the search for the target's keys begins, for which its image has to be unpacked. Until
 * the targets are open it is better to digest some modules too many than to unpack them once more.
 */
final class KeySearch implements Predicate<KernelModule> {
  private final List<EncodedCertificate> given;
  private final @Nullable Root machine;
  private final AtomicBoolean begun = new AtomicBoolean();
  private volatile @Nullable List<Interest> open;

  private record Interest(TargetKeys keys, SignatureInterest modules) {}

  /** Parameters as for {@link TargetKeys}. */
  KeySearch(List<EncodedCertificate> given, @Nullable Root machine) {
    this.given = given;
    this.machine = machine;
  }

  /** Takes the targets, and returns them. */
  List<OpenTarget> on(List<OpenTarget> targets) {
    List<Interest> interests = new ArrayList<>();
    for (OpenTarget target : targets) {
      interests.add(
          new Interest(
              target.keys(given, machine), SignatureInterest.of(target, !given.isEmpty())));
    }
    open = interests;
    return targets;
  }

  @Override
  public boolean test(KernelModule module) {
    List<Interest> targets = open;
    boolean matters = targets == null;
    for (int i = 0; targets != null && i < targets.size(); i++) {
      matters |= targets.get(i).modules().test(module);
    }
    // Images of several kernels would be in memory at once.
    if (matters && targets != null && targets.size() == 1 && begun.compareAndSet(false, true)) {
      BackgroundTask.start(targets.get(0).keys()::found);
    }
    return matters;
  }

  /** The keys of one of the targets. */
  TargetKeys keys(OpenTarget target) {
    for (Interest interest : open == null ? List.<Interest>of() : open) {
      if (interest.keys().target() == target) {
        return interest.keys();
      }
    }
    throw new IllegalArgumentException(target.kernel().label());
  }
}
