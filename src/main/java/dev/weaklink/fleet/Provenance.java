package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Dkms;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodeInventory.Package;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The origin of a node's modules.
 *
 * @param product the product with its version; null if unknown
 * @param builds whether the node, or any node of the set, can build the modules for other kernels
 */
record Provenance(@Nullable String product, boolean builds) {
    private static final Provenance UNKNOWN = new Provenance(null, false);

    /** The modules that every build of OFED contains and that are useless without OFED. */
    private static final List<String> OF_OFED = List.of("mlx_compat", "mlx5_core", "ib_core");

    /** Returns the origin of one kernel's modules, according to the node. */
    static Provenance of(NodeInventory inventory, List<Module> modules) {
        if (modules.isEmpty()) {
            return UNKNOWN;
        }
        boolean ofDkms = false;
        boolean ofOfed = false;
        for (Module module : modules) {
            String file = module.file() == null ? module.path() : module.file();
            ofDkms |= file.contains("/updates/dkms/") || inDkms(inventory, module.name());
            ofOfed |= OF_OFED.contains(module.name());
        }
        if (ofOfed && inventory.ofed() != null) {
            return new Provenance(inventory.ofed(), true);
        }
        if (ofDkms && !inventory.dkms().isEmpty()) {
            return new Provenance(packages(inventory), true);
        }
        return ofAkmods(inventory);
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

    private static Provenance ofAkmods(NodeInventory inventory) {
        TreeSet<String> names = new TreeSet<>();
        for (Package installed : inventory.packages()) {
            if (installed.name().startsWith("akmod-")) {
                names.add(installed.name() + " " + installed.version());
            }
        }
        return names.isEmpty() ? UNKNOWN : new Provenance(String.join(" ", names), true);
    }

    /** Returns the combined origin of nodes of both kinds; the product is known only if both agree. */
    Provenance and(Provenance other) {
        boolean agree = product != null && product.equals(other.product);
        return new Provenance(agree ? product : null, builds || other.builds);
    }
}
