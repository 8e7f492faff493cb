package dev.weaklink.system.initramfs;

import dev.weaklink.module.KernelModule;
import dev.weaklink.module.VersionTable;
import dev.weaklink.sys.StableId;
import dev.weaklink.system.initramfs.PackedModules.PackedModule;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Compares a module of an initramfs image with the installed module. Pure. */
public final class InitramfsComparison {
    private InitramfsComparison() {}

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
     * Returns whether both modules are of the same build, even if one of them was stripped or signed. The build id
     * decides. If neither module has a build id, both must have the same srcversion, modinfo and symbol versions.
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

    /**
     * The state of a module in an initramfs image, compared with the installed modules. The ids are part of the
     * machine-readable output.
     */
    public enum ModuleState implements StableId {
        /** The module has the same contents as the file that depmod selects; only the compression may differ. */
        SAME,
        /** The module is of the same build as the installed one, but was stripped or signed in another way. */
        SAME_BUILD,
        STALE,
        GONE,
        UNREADABLE,
        /** The module belongs to another kernel and was not checked. */
        OTHER_KERNEL;

        public boolean isOutOfDate() {
            return this == STALE || this == GONE;
        }
    }
}
