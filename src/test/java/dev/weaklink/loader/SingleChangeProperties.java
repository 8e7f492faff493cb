package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.testing.CompatiblePair;
import dev.weaklink.testing.ModuleArbitraries;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/**
 * A module that fits its kernel loads. After one change to the module or the kernel, the kernel refuses the module for
 * that change only.
 */
class SingleChangeProperties {
    @Provide
    Arbitrary<CompatiblePair> pairs() {
        return ModuleArbitraries.compatiblePairs();
    }

    @Provide
    Arbitrary<CompatiblePair> pairsWithImports() {
        return pairs().filter(pair -> !pair.used().isEmpty());
    }

    @Provide
    Arbitrary<String> otherLicenses() {
        return ModuleArbitraries.otherLicenses();
    }

    @Property
    void acceptsACompatiblePairSeparatelyAndTogether(@ForAll("pairs") CompatiblePair pair) {
        judge(pair).isCompatible();
        assertThat(LoadSet.sideBySide(
                        kernel(pair),
                        List.of(module(pair)),
                        List.of(),
                        Set.of(),
                        new ExportRowCache(kernel(pair).exports()),
                        1))
                .extracting(Verdict::outcome)
                .containsExactly(Outcome.COMPATIBLE);
    }

    @Property
    void refusesAFlippedCrcWithEinvalForThatSymbol(
            @ForAll("pairsWithImports") CompatiblePair pair, @ForAll int choice, @ForAll @IntRange(max = 31) int bit) {
        String symbol = choose(pair, choice);

        Judged judged = judge(pair.flippingCrc(symbol, bit)).isRefused("EINVAL");

        assertThat(judged.refusedSymbols()).containsExactly("symbol-crc " + symbol);
    }

    @Property
    void returnsOnlyEnoexecForAFlippedCrcOfModuleLayout(
            @ForAll("pairs") CompatiblePair pair, @ForAll @IntRange(max = 31) int bit) {
        CompatiblePair broken = pair.flippingCrc("module_layout", bit);
        for (Row row : pair.used()) {
            broken = broken.flippingCrc(row.symbol(), bit);
        }

        judge(broken)
                .isRefused("ENOEXEC", Layer.MODULE_LAYOUT)
                .saying(name(pair) + ": disagrees about version of symbol module_layout");
    }

    @Property
    void refusesARenamedExportWithEnoentForThatSymbol(
            @ForAll("pairsWithImports") CompatiblePair pair, @ForAll int choice) {
        String symbol = choose(pair, choice);

        Judged judged = judge(pair.renaming(symbol, symbol + "$new")).isRefused("ENOENT");

        assertThat(judged.refusedSymbols()).containsExactly("symbol-missing " + symbol);
        judged.saying(name(pair) + ": Unknown symbol " + symbol + " (err -2)");
    }

    @Property
    void refusesAnExportMovedToAnotherNamespaceWithEinval(
            @ForAll("pairsWithImports") CompatiblePair pair, @ForAll int choice) {
        String symbol = choose(pair, choice);

        Judged judged = judge(pair.movingTo("moved_there", symbol)).isRefused("EINVAL");

        assertThat(judged.refusedSymbols()).containsExactly("namespace " + symbol);
        judged.saying(name(pair)
                + ": module uses symbol ("
                + symbol
                + ") from namespace moved_there, but does not import it.");
    }

    @Property
    void returnsEnoentForGplOnlySymbolsUnderAnotherLicense(
            @ForAll("pairs") CompatiblePair pair, @ForAll("otherLicenses") String license) {
        List<String> gplOnly = pair.used().stream()
                .filter(row -> row.kind() == Kind.EXPORT_SYMBOL_GPL)
                .map(row -> "symbol-gpl-only " + row.symbol())
                .toList();

        Judged judged = judge(pair.licensed(license));

        assertThat(judged.refusedSymbols()).isEqualTo(gplOnly);
        if (gplOnly.isEmpty()) {
            judged.isCompatible();
        } else {
            judged.isRefused("ENOENT");
        }
    }

    @Property
    void ignoresFurtherExportsOfTheKernel(@ForAll("pairs") CompatiblePair pair, @ForAll int crc) {
        Assume.that(pair.kernel().stream().noneMatch(row -> row.symbol().equals("spare$")));
        Row spare = new Row(crc, "spare$", "vmlinux", Kind.EXPORT_SYMBOL_GPL, "SPARE");
        TargetKernel kernel = Kernels.bare("6.1", pair.module().machine())
                .row(spare)
                .rows(pair.kernel())
                .build();

        Judged.alone(kernel, module(pair), List.of()).isCompatible();
    }

    private static String choose(CompatiblePair pair, int choice) {
        return pair.used().get(Math.floorMod(choice, pair.used().size())).symbol();
    }

    private static String name(CompatiblePair pair) {
        return pair.module().thisModule().name();
    }

    private static Judged judge(CompatiblePair pair) {
        return Judged.alone(kernel(pair), module(pair), List.of());
    }

    private static KernelModule module(CompatiblePair pair) {
        return Judged.read(pair.module());
    }

    private static TargetKernel kernel(CompatiblePair pair) {
        return Kernels.bare("6.1", pair.module().machine()).rows(pair.kernel()).build();
    }
}
