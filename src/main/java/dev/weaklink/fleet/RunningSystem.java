package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodeInventory.RunningModule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

final class RunningSystem {
    /** A module of OFED whose MODULE_VERSION is always the version of OFED. */
    private static final String OFED_MODULE = "mlx5_core";

    private RunningSystem() {}

    static List<Defect> defects(NodeInventory inventory) {
        List<Defect> defects = new ArrayList<>(RunningModules.defects(inventory));
        String running = inventory.running();
        if (running != null && !inventory.kernels().isEmpty() && !isInstalled(inventory, running)) {
            defects.add(new Defect(
                    Defect.ModuleDefectKind.NO_DIRECTORY,
                    running,
                    "modprobe can load no further module until a reboot"));
        }
        Defect outOfStep = running == null ? null : outOfStep(inventory, running);
        if (outOfStep != null) {
            defects.add(outOfStep);
        }
        return defects;
    }

    private static boolean isInstalled(NodeInventory inventory, String release) {
        return inventory.kernels().stream()
                .anyMatch(kernel -> kernel.installed() && kernel.release().equals(release));
    }

    private static @Nullable Defect outOfStep(NodeInventory inventory, String running) {
        String ofed = inventory.ofed() == null ? null : version(inventory.ofed());
        if (ofed == null) {
            return null;
        }
        for (Module module : inventory.modules()) {
            String version = module.version();
            if (module.kernel().equals(running)
                    && module.name().equals(OFED_MODULE)
                    && Boolean.TRUE.equals(module.used())
                    && version != null
                    && !isBeginning(version, ofed)
                    && !isBeginning(ofed, version)) {
                return new Defect(
                        Defect.ModuleDefectKind.OUT_OF_STEP,
                        OFED_MODULE,
                        "the module is " + version + ", the installed OFED is " + inventory.ofed());
            }
        }
        return null;
    }

    /**
     * Returns the part of a name such as {@code MLNX_OFED_LINUX-24.10-1.1.4} from the first digit after a hyphen on;
     * null if no digit follows a hyphen.
     */
    private static @Nullable String version(String product) {
        for (int i = 1; i < product.length(); i++) {
            char c = product.charAt(i);
            if (c >= '0' && c <= '9' && product.charAt(i - 1) == '-') {
                return product.substring(i);
            }
        }
        return null;
    }

    /**
     * Returns whether {@code longer} is {@code shorter}, or adds whole parts to it: 24.10-1.1.4.0 adds a part to
     * 24.10-1.1.4, but 24.10 adds none to 24.1.
     */
    private static boolean isBeginning(String shorter, String longer) {
        return longer.startsWith(shorter)
                && (longer.length() == shorter.length() || "-.".indexOf(longer.charAt(shorter.length())) >= 0);
    }

    private static final class RunningModules {
        /** The taint TAINT_OOT_MODULE, set for every module without "intree" (kernel/module/main.c, 3.2+). */
        private static final String OUT_OF_TREE = "O";

        private final Map<String, Module> onDisk = new HashMap<>();
        private final Map<String, Module> elsewhere = new HashMap<>();

        /** The modules with a build for the running kernel that modules.dep does not list, as far as known. */
        private final Set<String> unlisted = new HashSet<>();

        private RunningModules(String running, List<Module> modules) {
            for (Module module : modules) {
                String name = loaderName(module.name());
                if (!module.kernel().equals(running)) {
                    elsewhere.putIfAbsent(name, module);
                } else if (Boolean.TRUE.equals(module.used())) {
                    onDisk.put(name, module);
                } else {
                    unlisted.add(name);
                }
            }
        }

        /**
         * Returns a defect for each loaded module whose srcversion differs from that of its file in modules.dep. A file
         * or a loaded out-of-tree module without a srcversion is not compared (include/linux/module.h, MODULE_VERSION).
         * Also returns a defect for each loaded in-tree module that has out-of-tree builds for other kernels only.
         */
        static List<Defect> defects(NodeInventory inventory) {
            String running = inventory.running();
            if (running == null || inventory.loaded().isEmpty()) {
                return List.of();
            }
            RunningModules modules = new RunningModules(running, inventory.modules());
            List<Defect> defects = new ArrayList<>();
            for (RunningModule loaded : inventory.loaded()) {
                Defect defect = modules.defect(loaded);
                if (defect != null) {
                    defects.add(defect);
                }
            }
            return defects;
        }

        private @Nullable Defect defect(RunningModule loaded) {
            String name = loaderName(loaded.name());
            String taint = loaded.taint();
            boolean inbox = taint == null || !taint.contains(OUT_OF_TREE);
            Module disk = onDisk.get(name);
            if (disk == null) {
                Module other = elsewhere.get(name);
                return !inbox || other == null || unlisted.contains(name) ? null : missing(loaded, other);
            }
            String srcversion = disk.srcversion();
            String now = loaded.srcversion();
            if (srcversion == null || srcversion.equals(now)) {
                return null;
            }
            if (inbox) {
                return new Defect(
                        Defect.ModuleDefectKind.INBOX_LOADED,
                        loaded.name(),
                        "srcversion " + (now == null ? "none" : now) + " is loaded, not that of " + disk.path());
            }
            return now == null
                    ? null
                    : new Defect(
                            Defect.ModuleDefectKind.LOADED_DIFFERS,
                            loaded.name(),
                            "srcversion " + now + " is loaded, " + srcversion + " is on disk");
        }

        private static Defect missing(RunningModule loaded, Module other) {
            return new Defect(
                    Defect.ModuleDefectKind.INBOX_LOADED,
                    loaded.name(),
                    "no build for this kernel; a build for another kernel is " + other.path());
        }

        private static String loaderName(String name) {
            return name.replace('-', '_');
        }
    }
}
