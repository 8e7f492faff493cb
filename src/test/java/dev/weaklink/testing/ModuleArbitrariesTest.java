package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ModuleSpec.Import;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.ModuleSpec.Versions;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Compares generated modules with their descriptions through independent programs. */
class ModuleArbitrariesTest {
    @Provide
    Arbitrary<ModuleSpec> modules() {
        return ModuleArbitraries.modules();
    }

    @Provide
    Arbitrary<CompatiblePair> pairs() {
        return ModuleArbitraries.compatiblePairs();
    }

    @Provide
    Arbitrary<String> symbolNames() {
        return ModuleArbitraries.symbolNames();
    }

    @Property
    void symbolNamesAreIdentifiersThatFitEveryTable(@ForAll("symbolNames") String name) {
        assertThat(name).matches("[A-Za-z_][A-Za-z0-9_]{0,54}");
    }

    @Property(tries = 40)
    @NeedsTools("readelf")
    void readelfListsTheUndefinedSymbolsInOrder(@ForAll("modules") ModuleSpec module) throws IOException {
        boolean dots = module.machine().dropsLeadingDot();

        List<Import> listed = run(ExternalTool.find("readelf").orElseThrow(), "-sW", module)
                .lines()
                .filter(line -> line.matches(".* UND \\S+"))
                .map(line -> importIn(line, dots))
                .toList();

        assertThat(listed).isEqualTo(module.importsAsLoaded());
    }

    @Property(tries = 40)
    @NeedsTools("modprobe")
    void modprobeListsTheClassicVersions(@ForAll("modules") ModuleSpec module) throws IOException {
        Versions versions = module.versions();
        Assume.that(versions != null && versions.layout() == Versions.Layout.CLASSIC);

        List<String> expected = module.versionsAsLoaded().stream()
                .map(version -> "0x%08x\t%s".formatted(version.crc(), version.symbol()))
                .toList();

        assertThat(run(ExternalTool.find("modprobe").orElseThrow(), "--dump-modversions", module)
                        .lines())
                .containsExactlyElementsOf(expected);
    }

    @Property
    void offersEveryStrongImportWithTheSameCrc(@ForAll("pairs") CompatiblePair pair) {
        List<String> needed = pair.module().importsAsLoaded().stream()
                .filter(entry -> !entry.weak())
                .map(Import::name)
                .toList();
        List<ModuleSpec.Version> offered = pair.kernel().stream()
                .map(row -> new ModuleSpec.Version(row.symbol(), Integer.toUnsignedLong(row.crc())))
                .toList();

        assertThat(pair.used()).extracting(Row::symbol).isEqualTo(needed);
        assertThat(pair.module().versionsAsLoaded()).isEqualTo(offered);
    }

    @Property
    void compatibleModuleImportsTheNamespacesItNeeds(@ForAll("pairs") CompatiblePair pair) {
        for (Row row : pair.used()) {
            if (row.namespace() != null) {
                assertThat(pair.module().modInfo().entries()).contains("import_ns=" + row.namespace());
            }
        }
        assertThat(pair.module().modInfo().presence()).isEqualTo(Presence.ALLOCATED);
    }

    @Property
    void changesOnlyOneRowForAFlippedCrc(
            @ForAll("pairs") CompatiblePair pair,
            @ForAll @IntRange(max = 31) int bit,
            @ForAll @IntRange(max = 100) int choice) {
        String symbol = pair.kernel().get(choice % pair.kernel().size()).symbol();

        CompatiblePair changed = pair.flippingCrc(symbol, bit);

        assertThat(changed.module()).isEqualTo(pair.module());
        assertThat(changed.kernel().stream().filter(row -> !pair.kernel().contains(row)))
                .singleElement()
                .satisfies(row -> {
                    assertThat(row.symbol()).isEqualTo(symbol);
                    assertThat(row.kind()).isIn(Kind.EXPORT_SYMBOL, Kind.EXPORT_SYMBOL_GPL);
                });
    }

    private static Import importIn(String line, boolean dots) {
        String name = line.substring(line.lastIndexOf(' ') + 1);
        return new Import(dots && name.startsWith(".") ? name.substring(1) : name, line.contains(" WEAK "));
    }

    private static String run(ExternalTool tool, String option, ModuleSpec module) throws IOException {
        Path file = Files.createTempFile("generated", ".ko");
        try {
            Files.write(file, module.toBytes());
            return tool.run(option, file.toString());
        } finally {
            Files.delete(file);
        }
    }
}
