package dev.weaklink.system.initramfs;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.StableId;
import dev.weaklink.system.initramfs.PackedModules.PackedModule;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Holds a module of an image against the installed one. Pure. */
public final class InitramfsComparison {
    private InitramfsComparison() {}

    /**
     * How it stands.
     *
     * @param packed the module of the image
     * @param selected what depmod selects for its name, null if there is none
     */
    public static ModuleState of(PackedModule packed, @Nullable PackedModule selected) {
        if (selected == null) {
            return ModuleState.GONE;
        }
        KernelModule mine = packed.facts();
        KernelModule theirs = selected.facts();
        if (mine == null || theirs == null) {
            return ModuleState.UNREADABLE;
        }
        if (packed.digest().equals(selected.digest())) {
            return ModuleState.SAME;
        }
        return isSameBuild(mine, theirs) ? ModuleState.SAME_BUILD : ModuleState.STALE;
    }

    /**
     * The tools that make images may strip a module, which takes nothing from what is loaded and leaves the build id
     * alone; so does signing. Without a build id, what came from the same source for the same kernel is taken to be the
     * same build.
     */
    private static boolean isSameBuild(KernelModule mine, KernelModule theirs) {
        if (mine.buildId() != null || theirs.buildId() != null) {
            return Objects.equals(mine.buildId(), theirs.buildId());
        }
        String source = mine.modInfo().first("srcversion");
        return source != null
                && source.equals(theirs.modInfo().first("srcversion"))
                && mine.modInfo().entries().equals(theirs.modInfo().entries())
                && isSame(mine.versions(), theirs.versions());
    }

    private static boolean isSame(@Nullable VersionTable mine, @Nullable VersionTable theirs) {
        if (mine == null || theirs == null) {
            return mine == theirs;
        }
        boolean same = mine.names().size() == theirs.names().size() && Arrays.equals(mine.crcs(), theirs.crcs());
        for (int i = 0; same && i < mine.names().size(); i++) {
            same = mine.names().name(i).equals(theirs.names().name(i));
        }
        return same;
    }

    /** What makes them different, for people: the source versions if they differ. */
    public static String difference(PackedModule packed, @Nullable PackedModule selected) {
        if (selected == null) {
            return "no module of that name is installed";
        }
        if (packed.failure() != null) {
            return packed.failure();
        }
        if (selected.failure() != null) {
            return selected.path() + ": " + selected.failure();
        }
        String mine = source(packed.facts());
        String theirs = source(selected.facts());
        return mine.equals(theirs)
                ? "another build than " + selected.path()
                : "source version " + mine + ", and " + theirs + " in " + selected.path();
    }

    private static String source(@Nullable KernelModule module) {
        String source = module == null ? null : module.modInfo().first("srcversion");
        return source == null ? "none" : source;
    }

    /** How a module of an image stands to what is installed. The ids are part of the contract. */
    public enum ModuleState implements StableId {
        /** The very file that depmod selects, unpacked. */
        SAME,
        /** The same build of it: stripped or signed in another way. */
        SAME_BUILD,
        /** Another build than depmod selects now. */
        STALE,
        /** No module of that name is installed any more. */
        GONE,
        /** It, or the installed one, could not be read. */
        UNREADABLE,
        /** It is of another kernel, and not checked. */
        OTHER_KERNEL;

        /** Whether a new image would hold something else. */
        public boolean isOutOfDate() {
            return this == STALE || this == GONE;
        }
    }
}
