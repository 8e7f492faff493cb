package dev.weaklink.links;

import dev.weaklink.check.InstalledUnits;
import dev.weaklink.rules.Product;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.Rules.RuleUnit;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.DkmsReader;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The product of each out-of-tree module file below a root directory, recognised without reading the files.
 *
 * @param labels the product's id by the path of the module file inside the root directory; if no product is recognised,
 *     the name of the module's unit ({@link RuleUnit}), such as a package
 * @param autoinstalled the module files of DKMS packages that DKMS builds for every installed kernel
 */
public record ProductLabels(Map<String, String> labels, Set<String> autoinstalled) {
    public ProductLabels {
        labels = Map.copyOf(labels);
        autoinstalled = Set.copyOf(autoinstalled);
    }

    /**
     * Labels the out-of-tree modules of all kernels below a root directory.
     *
     * @param problems receives the inputs that cannot be read, and invalid rules; if any rule is invalid, each label is
     *     the name of a unit
     */
    public static ProductLabels find(Root root, List<InputProblem> problems) throws IOException {
        Rules rules = LinkManager.rules(root, problems);
        DkmsTree dkms = DkmsReader.read(root);
        Map<String, String> labels = new HashMap<>();
        Set<String> autoinstalled = new HashSet<>();
        for (String release : InstalledKernels.list(root)) {
            List<ModuleBuild> builds = OutOfTreeBuilds.builds(root, release, problems);
            List<RuleUnit> units = InstalledUnits.of(root, builds, problems);
            Map<RuleUnit, List<String>> modules = new HashMap<>();
            for (int i = 0; i < builds.size(); i++) {
                modules.computeIfAbsent(units.get(i), unit -> new ArrayList<>())
                        .add(builds.get(i).name());
            }
            for (int i = 0; i < builds.size(); i++) {
                String file = root.inside(builds.get(i).host());
                RuleUnit unit = units.get(i);
                labels.put(file, label(rules, unit, modules.getOrDefault(unit, List.of())));
                DkmsPackage owner = dkms.ownerOf(builds.get(i).inside());
                if (owner != null && owner.autoinstall()) {
                    autoinstalled.add(file);
                }
            }
        }
        return new ProductLabels(labels, autoinstalled);
    }

    private static String label(@Nullable Rules rules, RuleUnit unit, List<String> modules) {
        if (rules != null) {
            Product product = rules.productOf(unit, modules).product();
            if (!product.id().equals(Product.GENERIC)) {
                return product.id();
            }
        }
        return unit.name();
    }
}
