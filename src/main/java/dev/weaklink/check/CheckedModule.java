package dev.weaklink.check;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.system.initramfs.ModuleState;
import org.jspecify.annotations.Nullable;

/**
 * A module of an image, and what there is to say about it.
 *
 * @param path in the image
 * @param name the module's
 * @param selected path of the installed module it was held against, null if there is none
 * @param detail what is different, null if nothing is
 * @param verdict what the kernel would do with it among the other modules of the image; null if
 *     that cannot be determined
 */
public record CheckedModule(
    String path,
    String name,
    ModuleState state,
    @Nullable String selected,
    @Nullable String detail,
    @Nullable Verdict verdict) {

  /** Whether the kernel would refuse it when the image is booted. */
  public boolean isRefused() {
    return verdict != null && verdict.outcome() == Outcome.INCOMPATIBLE;
  }

  /** Whether something about it is not known. */
  public boolean isUnknown() {
    return state == ModuleState.UNREADABLE
        || verdict != null && verdict.outcome() == Outcome.UNDETERMINED;
  }
}
