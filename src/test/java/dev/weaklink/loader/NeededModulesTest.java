package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The target's own modules that must be read to judge other modules. */
class NeededModulesTest {
    private final Kernels kernel = Kernels.version("6.1")
            .exporting("printk", 1)
            .row(new Row(2, "f", "drivers/base-one", Kind.EXPORT_SYMBOL, null))
            .row(new Row(3, "g", "drivers/two", Kind.EXPORT_SYMBOL, null));

    @Test
    void needsTheExportersThatSymversNames() {
        NeededModules demand = demand(kernel.build(), List.of(), List.of());

        assertThat(demand.wantedBy(List.of(using("m", "g", "printk", "f", "nowhere"))))
                .containsExactly("base_one", "two");
    }

    @Test
    void requestsNoModuleTwice() {
        NeededModules demand = demand(kernel.build(), List.of(), List.of());

        assertThat(demand.wantedBy(List.of(using("m", "f")))).containsExactly("base_one");
        assertThat(demand.wantedBy(List.of(using("m", "f", "g")))).containsExactly("two");
        assertThat(demand.wantedBy(List.of(using("m", "f", "g")))).isEmpty();
    }

    @Test
    void looksInTheKernelFirst() {
        KernelModule known = Judged.read(exporting("other", "printk").spec());
        NeededModules demand = demand(kernel.build(), List.of(), List.of(known));

        assertThat(demand.wantedBy(List.of(using("m", "printk")))).isEmpty();
    }

    @Test
    void doesNotNeedAReplacedModule() {
        KernelModule given = Judged.read(exporting("base_one", "other").spec());
        NeededModules demand = demand(kernel.build(), List.of(given), List.of());

        assertThat(demand.wantedBy(List.of(using("m", "f")))).isEmpty();
    }

    @Test
    void doesNotNeedTheTargetsExporterIfOneIsGiven() {
        KernelModule given = Judged.read(exporting("another", "f").spec());
        NeededModules demand = demand(kernel.build(), List.of(given), List.of());

        assertThat(demand.wantedBy(List.of(using("m", "f")))).isEmpty();
    }

    @Test
    void needsAllKnownExportersOfASymbol() {
        List<KernelModule> known =
                Judged.readAll(List.of(exporting("a", "x"), exporting("b", "x"), exporting("c", "y")));
        NeededModules demand = demand(Kernels.version("6.1").build(), List.of(), known);

        assertThat(demand.wantedBy(List.of(using("m", "x")))).containsExactly("a", "b");
    }

    private static KernelModule using(String name, String... symbols) {
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, name);
        for (String symbol : symbols) {
            module.importing(symbol, false);
        }
        return Judged.read(module.spec());
    }

    private static ModuleBuilder exporting(String name, String symbol) {
        return ModuleBuilder.typical(Machine.X86_64, name).exporting(symbol, Export.Table.NORMAL, 2);
    }

    private static NeededModules demand(TargetKernel target, List<KernelModule> given, List<KernelModule> known) {
        return new NeededModules(target, given, known, new ExportRowCache(target.exports()));
    }
}
