package dev.weaklink.check;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.system.initramfs.InitramfsComparison.ModuleState;
import dev.weaklink.system.initramfs.InstalledImages.Renewal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An image that was looked at.
 *
 * @param path as given, or as seen from inside the root
 * @param kernel the release it was held against
 * @param modules its modules in its order
 * @param failure why it could not be read, null if it could
 * @param renewal how to regenerate it
 */
public record CheckedImage(
        String path,
        String kernel,
        List<CheckedModule> modules,
        @Nullable String failure,
        Renewal renewal) {
    /** Takes a copy. */
    public CheckedImage {
        modules = List.copyOf(modules);
    }

    /** How many modules are in this state. */
    public int count(ModuleState state) {
        int count = 0;
        for (CheckedModule module : modules) {
            count += module.state() == state ? 1 : 0;
        }
        return count;
    }

    /** How many the kernel would refuse. */
    public int refused() {
        int count = 0;
        for (CheckedModule module : modules) {
            count += module.isRefused() ? 1 : 0;
        }
        return count;
    }

    /** Whether a new one would be different, or better. */
    public boolean isToBeRenewed() {
        return modules.stream().anyMatch(module -> module.state().isOutOfDate() || module.isRefused());
    }

    /** Whether it has no module to compare: none, or those of other kernels only. */
    public boolean isForeign() {
        return failure == null && count(ModuleState.OTHER_KERNEL) == modules.size();
    }

    /** Whether something about it could not be determined. */
    public boolean isUnknown() {
        if (isForeign()) {
            return true;
        }
        for (CheckedModule module : modules) {
            if (module.isUnknown()) {
                return true;
            }
        }
        return failure != null;
    }

    /**
     * A module of an image, and what there is to say about it.
     *
     * @param path in the image
     * @param name the module's
     * @param selected path of the installed module it was held against, null if there is none
     * @param detail what is different, null if nothing is
     * @param verdict what the kernel would do with it among the other modules of the image; null if that cannot be
     *     determined
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
            return state == ModuleState.UNREADABLE || verdict != null && verdict.outcome() == Outcome.UNDETERMINED;
        }
    }
}
