package dev.weaklink.check;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.system.initramfs.InitramfsComparison.ModuleState;
import dev.weaklink.system.initramfs.InstalledImages.Renewal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An initramfs image and the result of its check.
 *
 * @param path the path as the user typed it, or as seen from inside the root directory
 * @param kernel the release of the kernel whose installed modules the image was compared with
 * @param modules the modules, in the order of the image
 * @param failure the reason why the image could not be read, null if it could
 * @param renewal the command that regenerates the image
 */
public record CheckedImage(
        String path,
        String kernel,
        List<CheckedModule> modules,
        @Nullable String failure,
        Renewal renewal) {
    public CheckedImage {
        modules = List.copyOf(modules);
    }

    public int count(ModuleState state) {
        int count = 0;
        for (CheckedModule module : modules) {
            count += module.state() == state ? 1 : 0;
        }
        return count;
    }

    public int refused() {
        int count = 0;
        for (CheckedModule module : modules) {
            count += module.isRefused() ? 1 : 0;
        }
        return count;
    }

    /** Returns whether the image contains a module that is out of date or refused. */
    public boolean isToBeRenewed() {
        return modules.stream().anyMatch(module -> module.state().isOutOfDate() || module.isRefused());
    }

    /** Returns whether the image is readable but contains no module of this kernel. */
    public boolean isForeign() {
        return failure == null && count(ModuleState.OTHER_KERNEL) == modules.size();
    }

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
     * A module of an image, compared with the installed module of the same name.
     *
     * @param path the path in the image
     * @param selected the path of the module of this name that depmod selects; null if there is none, or if the image's
     *     module is for another kernel
     * @param detail the difference to the installed module, null if the builds are the same or were not compared
     * @param verdict the loader's verdict on the module, judged together with the other modules of the image; null if
     *     unknown
     */
    public record CheckedModule(
            String path,
            String name,
            ModuleState state,
            @Nullable String selected,
            @Nullable String detail,
            @Nullable Verdict verdict) {

        public boolean isRefused() {
            return verdict != null && verdict.outcome() == Outcome.INCOMPATIBLE;
        }

        public boolean isUnknown() {
            return state == ModuleState.UNREADABLE || verdict != null && verdict.outcome() == Outcome.UNDETERMINED;
        }
    }
}
