package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.loader.ExportRowCache;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.NeededModules;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/** A kernel without a file that lists the exports of its modules: weaklink reads the modules on demand. */
class KnownModulesTest {
    private static final String RELEASE = "6.1.0-7-test";

    private Path directory = Path.of("");

    @BeforeTry
    void createDirectory() throws IOException {
        directory = Files.createTempDirectory("known");
    }

    @AfterTry
    void deleteDirectory() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    @Example
    void readsTheModulesThatDependsNames() throws IOException {
        TreeBuilder tree = tree();
        own(tree, "kernel/base-one.ko", module("base_one", "", "printk").exporting("f", Export.Table.NORMAL, 1));
        own(tree, "kernel/middle.ko", module("middle", "base-one", "f").exporting("g", Export.Table.NORMAL, 1));
        own(tree, "kernel/other.ko", module("other", "", "printk").exporting("h", Export.Table.NORMAL, 1));
        own(tree, "extra/added.ko", module("added", "", "printk").exporting("i", Export.Table.NORMAL, 1));
        CheckTarget target = open();

        assertThat(known(target, module("m", "middle", "g", "printk"))).containsExactly("added", "base_one", "middle");
        assertThat(known(target, module("m", "", "printk"))).containsExactly("added");
    }

    @Example
    void readsAllModulesIfDependsNamesNoExporter() throws IOException {
        TreeBuilder tree = tree();
        own(tree, "kernel/one.ko", module("one", "", "printk").exporting("f", Export.Table.NORMAL, 1));
        own(tree, "kernel/two.ko", module("two", "", "printk").exporting("g", Export.Table.NORMAL, 1));
        CheckTarget target = open();

        assertThat(known(target, module("m", "one", "f", "g"))).containsExactly("one", "two");
        assertThat(known(target, module("m", "one", "f", "nowhere"))).containsExactly("one", "two");
    }

    @Example
    void findsInTreeExportersOfSymbolsRequestedAtRunTime() throws IOException {
        TreeBuilder tree = tree();
        String symbol = "ib_register_peer_memory_client";
        own(tree, "kernel/one.ko", module("one", "", "printk").exporting(symbol, table(), 1));
        CheckRequest request = new CheckRequest(
                directory,
                List.of("test-fixtures/runtime-names/names.o"),
                List.of(RELEASE),
                null,
                false,
                Map.of(),
                List.of(),
                ReadOptions.uncached(1),
                InputStream.nullInputStream());

        CheckReport report = Checker.check(request, Progress.NONE);

        assertThat(report.verdicts().get(0).findings())
                .filteredOn(finding -> finding.kind() == FindingKind.SYMBOL_GET)
                .extracting(Finding::symbol)
                .containsExactly("nvme_v1_register_nvfs_dma_ops");
    }

    @Property(tries = 60)
    void needsTheSameModulesAsIfAllWereRead(@ForAll Random random) throws IOException {
        TreeBuilder tree = tree();
        List<String> exporters = new ArrayList<>();
        for (int i = 0; i < 3 + random.nextInt(8); i++) {
            String name = "m" + i;
            String place = random.nextInt(5) == 0 ? "extra/" : "kernel/";
            own(tree, place + name + ".ko", stacked(random, name, exporters).exporting("of_" + name, table(), 1));
            exporters.add(name);
        }
        List<KernelModule> given = new ArrayList<>();
        for (int i = 0; i < 1 + random.nextInt(3); i++) {
            boolean isNew = random.nextBoolean();
            String name = isNew ? "new" + i : exporters.get(random.nextInt(exporters.size()));
            ModuleBuilder module = stacked(random, name, exporters);
            given.add(read(random.nextBoolean() ? module.exporting("of_" + name, table(), 1) : module));
        }
        boolean replaces = random.nextBoolean();

        List<String> onDemand = needed(open(), given, replaces, false);

        assertThat(onDemand).isEqualTo(needed(open(), given, replaces, true));
    }

    private static List<String> needed(CheckTarget target, List<KernelModule> given, boolean replaces, boolean whole) {
        ExportRowCache rows = new ExportRowCache(target.kernel().exports());
        InTreeModules own = target.inTreeModules();
        Collection<KernelModule> known = whole ? own.all() : target.known(given, rows);
        List<KernelModule> replacing = replaces ? given : List.of();
        return new NeededModules(target.kernel(), replacing, known, rows).neededBy(given, own::named);
    }

    /** Returns a module that imports symbols of some exporters. Its {@code depends} may lack an exporter. */
    private static ModuleBuilder stacked(Random random, String name, List<String> exporters) {
        Set<String> depends = new TreeSet<>();
        List<String> imports = new ArrayList<>(List.of("printk"));
        for (String exporter : exporters) {
            if (random.nextInt(3) == 0 && !exporter.equals(name)) {
                imports.add("of_" + exporter);
                if (random.nextInt(12) > 0) {
                    depends.add(exporter);
                }
            }
        }
        if (random.nextInt(12) == 0) {
            imports.add("nowhere");
        }
        return module(name, String.join(",", depends), imports.toArray(String[]::new));
    }

    private static Export.Table table() {
        return Export.Table.NORMAL;
    }

    private static ModuleBuilder module(String name, String depends, String... imports) {
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("depends")
                .modInfo("depends=" + depends);
        for (String symbol : imports) {
            module.importing(symbol, 1);
        }
        return module;
    }

    private static KernelModule read(ModuleBuilder module) {
        byte[] bytes = module.build();
        return ModuleReader.read(Origin.file("given.ko"), bytes, bytes.length);
    }

    private TreeBuilder tree() {
        SymversBuilder symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("printk", Kind.EXPORT_SYMBOL, 1);
        return TreeBuilder.in(directory).symvers(SymversPlace.USR_SRC_HEADERS, RELEASE, symvers);
    }

    private static void own(TreeBuilder tree, String place, ModuleBuilder module) {
        tree.module(RELEASE, place, module);
    }

    private CheckTarget open() throws IOException {
        List<FoundKernel> found =
                FoundKernel.find(Root.of(directory), null, List.of(RELEASE), GivenPackages.unkept(), new ArrayList<>());
        return found.get(0).open(Map.of(), ReadOptions.uncached(1), new ArrayList<>());
    }

    private static List<String> known(CheckTarget target, ModuleBuilder importing) {
        ExportRowCache rows = new ExportRowCache(target.kernel().exports());
        List<String> names = new ArrayList<>();
        for (KernelModule module : target.known(List.of(read(importing)), rows)) {
            names.add(module.name());
        }
        return names;
    }
}
