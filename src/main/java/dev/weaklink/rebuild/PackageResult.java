package dev.weaklink.rebuild;

import dev.weaklink.sys.StableId;
import java.util.List;

/**
 * The result of one of the packages that a run builds each by itself.
 *
 * @param label the package
 * @param state how it ended
 * @param reason why it was not built, one line; empty if it was
 */
public record PackageResult(String label, State state, String reason) {
  /** What can become of a package. The ids are part of the machine-readable contract. */
  public enum State implements StableId {
    BUILT,
    FAILED,
    /** What it needs was not built. */
    SKIPPED,
    /** Its source says it is not for this kernel. */
    NOT_FOR_THIS_KERNEL
  }

  /** Whether it should have been built and was not. */
  public boolean isMissing() {
    return state == State.FAILED || state == State.SKIPPED;
  }

  /** Labels of those that were built, in their order. */
  public static List<String> built(List<PackageResult> packages) {
    return packages.stream()
        .filter(one -> one.state() == State.BUILT)
        .map(PackageResult::label)
        .toList();
  }
}
