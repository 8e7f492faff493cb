package dev.weaklink.compat;

import dev.weaklink.testing.ExportFormat;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export.Table;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Kernels, each of which changes some symbols of the kernel before, and modules built for them. The same seed gives the
 * same result.
 */
final class RandomAbi {
    /** A module file of a product. */
    record Built(String name, ModuleBuilder module) {}

    private static final int SYMBOLS = 8;
    private static final String LAYOUT = "module_layout";

    private final Random random;
    private final Map<String, Map<String, Integer>> kernels = new TreeMap<>();

    RandomAbi(Random random, List<String> releases) {
        this.random = random;
        Map<String, Integer> crcs = new TreeMap<>(Map.of(LAYOUT, 0x11223344));
        for (int i = 0; i < SYMBOLS; i++) {
            crcs.put("symbol" + i, 100 + i);
        }
        for (String release : releases) {
            crcs = changed(crcs, 12, 20);
            kernels.put(release, crcs);
        }
    }

    private Map<String, Integer> changed(Map<String, Integer> crcs, int oneIn, int layoutOneIn) {
        Map<String, Integer> changed = new TreeMap<>();
        crcs.forEach((symbol, crc) -> {
            boolean other = random.nextInt(symbol.equals(LAYOUT) ? layoutOneIn : oneIn) == 0;
            changed.put(symbol, other ? crc + 1000 : crc);
        });
        return changed;
    }

    /** Changes the CRCs of some of a kernel's symbols, as an update of the same release does. */
    void change(String release) {
        kernels.put(release, changed(kernels.get(release), 6, 40));
    }

    /** Writes the files of an installed kernel. */
    void install(TreeBuilder tree, String release) {
        Map<String, Integer> crcs = kernels.get(release);
        SymversBuilder symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST);
        StringBuilder map = new StringBuilder();
        crcs.forEach((symbol, crc) -> {
            symvers.kernel(symbol, SymversBuilder.Kind.EXPORT_SYMBOL, crc);
            map.append("ffffffff81000000 r __ksymtab_").append(symbol).append('\n');
        });
        symvers.line("0x%08x\town_fn\tkernel/own\tEXPORT_SYMBOL\t".formatted(ownCrc(release)));
        tree.symvers(SymversPlace.MODULES_GZIP, release, symvers)
                .module(
                        release,
                        "kernel/own.ko",
                        built("own", release).exporting("own_fn", Table.NORMAL, ownCrc(release)))
                .modulesOrder(release, List.of("kernel/own.ko"))
                .builtin(release, List.of("kernel/inside.ko"));
        String directory = tree.root().relativize(tree.modules(release)).toString();
        tree.file(directory + "/System.map", map.toString().getBytes(StandardCharsets.UTF_8));
        tree.file(directory + "/vmlinuz", new byte[1]);
        tree.file(directory + "/modules.builtin.modinfo", "inside.license=GPL\0".getBytes(StandardCharsets.UTF_8));
    }

    /** Writes an in-tree module with the name of a product's module, and an in-tree module that needs the first. */
    void installOwn(TreeBuilder tree, String release, String product) {
        String name = product + 0;
        tree.module(
                        release,
                        "kernel/" + name + ".ko",
                        built(name, release).exporting(name + "_fn", Table.NORMAL, 1 + random.nextInt(2)))
                .module(
                        release,
                        "kernel/user.ko",
                        built("user", release).importing(name + "_fn", 1 + random.nextInt(2)));
    }

    private int ownCrc(String release) {
        return kernels.get(release).get("symbol0") + 5;
    }

    private ModuleBuilder built(String name, String release) {
        // kmod reads the CRCs of exports from symbols, not from the table.
        return ModuleBuilder.typical(Machine.X86_64, name)
                .exportFormat(ExportFormat.current(Machine.X86_64).with(ExportFormat.Crcs.ABSOLUTE_32))
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + release + " SMP mod_unload modversions ")
                .changedVersion(LAYOUT, kernels.get(release).get(LAYOUT));
    }

    /** Returns one to three modules for a kernel. Later modules may need earlier modules. */
    List<Built> product(String name, String release) {
        return product(name, release, 1 + random.nextInt(3));
    }

    /** Returns modules for a kernel. Later modules may need earlier modules. */
    List<Built> product(String name, String release, int count) {
        List<Built> product = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ModuleBuilder module = built(name + i, release).exporting(name + i + "_fn", Table.NORMAL, 1 + i);
            for (String symbol : kernels.get(release).keySet()) {
                if (!symbol.equals(LAYOUT) && random.nextInt(6) == 0) {
                    module.importing(symbol, kernels.get(release).get(symbol));
                }
            }
            if (random.nextInt(8) == 0) {
                module.importing("own_fn", ownCrc(release));
            }
            for (int needed = 0; needed < i; needed++) {
                if (random.nextInt(3) > 0) {
                    module.importing(name + needed + "_fn", random.nextInt(25) == 0 ? 99 : 1 + needed);
                }
            }
            product.add(new Built(name + i, module));
        }
        return product;
    }
}
