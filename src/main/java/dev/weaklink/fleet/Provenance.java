package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Dkms;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodeInventory.Package;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a node's modules.
 *
 * @param product the product with its version, or the DKMS packages or akmods with their versions; null if unknown
 * @param built the names of the modules that the node can build for other kernels
 */
record Provenance(@Nullable String product, Set<String> built) {
    private static final Provenance UNKNOWN = new Provenance(null, Set.of());

    /** The names of modules that every build of OFED contains. */
    private static final List<String> OF_OFED = List.of("mlx_compat", "mlx5_core", "ib_core");

    static Provenance of(NodeInventory inventory, List<Module> modules) {
        if (inventory.ofed() != null && modules.stream().anyMatch(module -> OF_OFED.contains(module.name()))) {
            Set<String> all = new TreeSet<>();
            modules.forEach(module -> all.add(module.name()));
            return new Provenance(inventory.ofed(), all);
        }
        Set<String> ofDkms = ofDkms(inventory, modules);
        Set<String> ofAkmods = new TreeSet<>();
        String akmods = ofAkmods(inventory, modules, ofAkmods);
        if (ofDkms.isEmpty() && ofAkmods.isEmpty()) {
            return UNKNOWN;
        }
        String product = ofDkms.isEmpty() ? akmods : packages(inventory);
        ofDkms.addAll(ofAkmods);
        return new Provenance(product, ofDkms);
    }

    /**
     * Returns the modules in directories that DKMS installs into: updates/dkms, as on Debian, and each directory with a
     * module that has the name of a DKMS package. On other distributions, DKMS installs directly into extra or updates
     * (dkms: override_dest_module_location). Binary packages install into their own subdirectories.
     */
    private static Set<String> ofDkms(NodeInventory inventory, List<Module> modules) {
        Set<String> names = new TreeSet<>();
        if (inventory.dkms().isEmpty()) {
            return names;
        }
        Set<String> directories = new TreeSet<>();
        for (Module module : modules) {
            String directory = directory(module);
            if (directory.endsWith("/updates/dkms/") || inDkms(inventory, module.name())) {
                directories.add(directory);
            }
        }
        for (Module module : modules) {
            if (directories.contains(directory(module))) {
                names.add(module.name());
            }
        }
        return names;
    }

    private static String directory(Module module) {
        String file = file(module);
        return file.substring(0, file.lastIndexOf('/') + 1);
    }

    private static String file(Module module) {
        return module.file() == null ? module.path() : module.file();
    }

    private static boolean inDkms(NodeInventory inventory, String module) {
        return inventory.dkms().stream()
                .anyMatch(dkms -> dkms.module().replace('-', '_').equals(module));
    }

    private static String packages(NodeInventory inventory) {
        TreeSet<String> names = new TreeSet<>();
        for (Dkms dkms : inventory.dkms()) {
            names.add(dkms.module() + "/" + dkms.version());
        }
        return String.join(" ", names);
    }

    private static String ofAkmods(NodeInventory inventory, List<Module> modules, Set<String> names) {
        TreeSet<String> packages = new TreeSet<>();
        for (Package installed : inventory.packages()) {
            if (installed.name().startsWith("akmod-")) {
                String directory = "/extra/" + installed.name().substring("akmod-".length()) + "/";
                for (Module module : modules) {
                    if (file(module).contains(directory)) {
                        names.add(module.name());
                        packages.add(installed.name() + " " + installed.version());
                    }
                }
            }
        }
        return String.join(" ", packages);
    }

    static @Nullable String common(@Nullable String one, @Nullable String other) {
        return one != null && one.equals(other) ? one : null;
    }
}
