package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleArbitraries;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;

/**
 * The loader tries all symbols, each up to its first failure. The errno is that of the last symbol in symtab order that
 * fails.
 */
class MixedFailuresProperties {
    private static final int CRC = 0x1234;

    /** An imported symbol with any number of obstacles. */
    record Symbol(
            boolean weak,
            boolean missing,
            boolean gplOnly,
            boolean noVersion,
            boolean otherCrc,
            boolean otherNamespace) {}

    @Provide
    Arbitrary<List<Symbol>> symbols() {
        Arbitrary<Boolean> seldom = Arbitraries.of(true, false, false, false);
        return Combinators.combine(seldom, seldom, seldom, seldom, seldom, seldom)
                .as(Symbol::new)
                .list()
                .ofMaxSize(8);
    }

    @Provide
    Arbitrary<Machine> machines() {
        return ModuleArbitraries.machines();
    }

    @Property(tries = 500)
    void theLastFailureDecidesTheErrno(
            @ForAll("symbols") List<Symbol> symbols, @ForAll("machines") Machine machine, @ForAll boolean proprietary) {
        Kernels kernel = Kernels.version("6.1", machine).rule(LoaderRule.MISSING_VERSION, "refuse");
        ModuleBuilder module = ModuleBuilder.typical(machine, "m").withoutModInfo("license");
        module.modInfo("license=" + (proprietary ? "Proprietary" : "GPL"));
        for (int i = 0; i < symbols.size(); i++) {
            describe(symbols.get(i), "s" + i, kernel, module);
        }

        Judged judged = Judged.alone(kernel, module);

        assertThat(judged.refusedSymbols()).isEqualTo(expectedRefusals(symbols, proprietary));
        String errno = expectedErrno(symbols, proprietary);
        if (errno == null) {
            judged.isCompatible();
        } else {
            judged.isRefused(errno);
        }
    }

    private static void describe(Symbol symbol, String name, Kernels kernel, ModuleBuilder module) {
        module.importing(name, symbol.weak());
        if (!symbol.noVersion()) {
            module.version(name, symbol.otherCrc() ? CRC + 1 : CRC);
        }
        if (!symbol.missing()) {
            Kind kind = symbol.gplOnly() ? Kind.EXPORT_SYMBOL_GPL : Kind.EXPORT_SYMBOL;
            kernel.row(new Row(CRC, name, "vmlinux", kind, symbol.otherNamespace() ? "NS" : null));
        }
    }

    private static List<String> expectedRefusals(List<Symbol> symbols, boolean proprietary) {
        List<String> refusals = new ArrayList<>();
        for (int i = 0; i < symbols.size(); i++) {
            Layer layer = obstacle(symbols.get(i), proprietary);
            if (layer != null) {
                refusals.add(layer.id() + " s" + i);
            }
        }
        return refusals;
    }

    private static @Nullable String expectedErrno(List<Symbol> symbols, boolean proprietary) {
        String errno = null;
        for (Symbol symbol : symbols) {
            Layer layer = obstacle(symbol, proprietary);
            if (layer != null) {
                boolean unknown = layer == Layer.SYMBOL_MISSING || layer == Layer.SYMBOL_GPL_ONLY;
                errno = unknown ? "ENOENT" : "EINVAL";
            }
        }
        return errno;
    }

    /** Returns the first obstacle in the order of kernel/module/main.c:resolve_symbol and simplify_symbols. */
    private static @Nullable Layer obstacle(Symbol symbol, boolean proprietary) {
        if (symbol.missing()) {
            return symbol.weak() ? null : Layer.SYMBOL_MISSING;
        }
        if (symbol.gplOnly() && proprietary) {
            return symbol.weak() ? null : Layer.SYMBOL_GPL_ONLY;
        }
        if (symbol.noVersion()) {
            return Layer.SYMBOL_VERSION;
        }
        if (symbol.otherCrc()) {
            return Layer.SYMBOL_CRC;
        }
        return symbol.otherNamespace() ? Layer.NAMESPACE : null;
    }
}
