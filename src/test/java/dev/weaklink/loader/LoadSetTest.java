package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.module.KernelModule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Modules judged together and alone: the providers of symbols, and the effect of a refused module on its users. */
class LoadSetTest {
    private static final int OLD = 1;
    private static final int NEW = 2;

    /** The pair behaves like kvm and kvm-intel of one build on the kernel of another build. */
    @Test
    void loadsSomePairsOnlyTogether() {
        ModuleBuilder nativeKvm = exporting("kvm", "kvm_init", NEW);
        ModuleBuilder kvm = exporting("kvm", "kvm_init", OLD);
        ModuleBuilder kvmIntel = typical("kvm_intel").importing("kvm_init", OLD);

        Judged.alone(Kernels.version("6.1"), kvmIntel, nativeKvm).isRefused("EINVAL", Layer.SYMBOL_CRC);
        assertThat(Judged.together(Kernels.version("6.1"), List.of(kvmIntel, kvm), List.of(nativeKvm)))
                .allSatisfy(Judged::isCompatible);
    }

    @Test
    void refusesUsersOfTheSetsRefusedBuild() {
        ModuleBuilder own = exporting("base", "f", OLD);
        ModuleBuilder broken = exporting("base", "f", OLD).importing("gone", 1);
        ModuleBuilder user = typical("user").importing("f", OLD);

        Judged.alone(Kernels.version("6.1"), user, own).isCompatible();
        List<Judged> together = Judged.together(Kernels.version("6.1"), List.of(user, broken), List.of(own));

        together.get(0).isRefused("ENOENT", Layer.DEPENDENCY);
        assertThat(together.get(0).refusals().get(0).exporter()).isEqualTo("base");
        together.get(0).saying("user: Unknown symbol f (err -2)");
        together.get(1).isRefused("ENOENT", Layer.SYMBOL_MISSING);
    }

    @Test
    void refusesAnImportOfASymbolThatAReplacementLacks() {
        ModuleBuilder own = exporting("base", "f", OLD);
        ModuleBuilder other = exporting("base", "g", OLD);
        ModuleBuilder user = typical("user").importing("f", OLD);

        Judged.together(Kernels.version("6.1"), List.of(user, other), List.of(own))
                .get(0)
                .isRefused("ENOENT", Layer.SYMBOL_MISSING);
    }

    @Test
    void refusesAllDependantsOfARefusedModule() {
        List<Judged> together = Judged.together(
                Kernels.version("6.1"),
                typical("d").importing("c", OLD),
                exporting("c", "c", OLD).importing("b", OLD),
                exporting("b", "b", OLD).importing("a", OLD),
                exporting("a", "a", OLD).importing("gone", OLD));

        assertThat(together).allSatisfy(judged -> judged.isRefused("ENOENT"));
        assertThat(together)
                .flatExtracting(Judged::refusedSymbols)
                .containsExactly("dependency c", "dependency b", "dependency a", "symbol-missing gone");
    }

    @Test
    void refusesDependantsOfARefusedInTreeModule() {
        ModuleBuilder own = exporting("base", "f", OLD).importing("gone", OLD);

        Judged.alone(Kernels.version("6.1"), typical("user").importing("f", OLD), own)
                .isRefused("ENOENT", Layer.DEPENDENCY);
    }

    @Test
    void isUndeterminedAboutDependantsOfUndeterminedModules() {
        ModuleBuilder own = exporting("base", "f", OLD).importing("printk", false);
        Kernels kernel = Kernels.version("6.1").exporting("printk", OLD);

        Judged judged = Judged.alone(kernel, typical("user").importing("f", OLD), own);

        judged.isUndetermined();
        assertThat(judged.verdict().findings()).extracting(Finding::layer).contains(Layer.DEPENDENCY);
    }

    @Test
    void modulesInACircleCannotBeLoaded() {
        List<Judged> together = Judged.together(
                Kernels.version("6.1"),
                exporting("a", "a", OLD).importing("b", OLD),
                exporting("b", "b", OLD).importing("a", OLD),
                typical("free").importing("c", OLD),
                exporting("c", "c", OLD));

        together.get(0).isRefused("ENOENT");
        together.get(1).isRefused("ENOENT");
        together.get(2).isCompatible();
        together.get(3).isCompatible();
    }

    @Test
    void resolvesACircleByASecondExporter() {
        List<Judged> together = Judged.together(
                Kernels.version("6.1"),
                exporting("a", "a", OLD)
                        .exporting("x", Export.Table.NORMAL, OLD)
                        .importing("b", OLD),
                exporting("b", "b", OLD).importing("x", OLD),
                exporting("c", "x", OLD));

        together.get(1).isCompatible();
        assertThat(together.get(1).verdict().providers())
                .extracting(Provider::name)
                .containsExactly("c");
        // c is loaded before a and exports the same symbol as a
        together.get(0).isRefused("ENOEXEC", Layer.DUPLICATE_EXPORT);
    }

    @Test
    void ignoresAWeakImportFromARefusedModule() {
        List<Judged> together = Judged.together(
                Kernels.version("6.1"),
                typical("user").importing("a", true).version("a", OLD),
                exporting("a", "a", OLD).importing("gone", OLD));

        together.get(0).isCompatible();
        together.get(1).isRefused("ENOENT");
    }

    @Test
    void prefersTheExportOfTheKernelToAModules() {
        Kernels kernel = Kernels.version("6.1").exporting("f", NEW);

        Judged.alone(kernel, typical("user").importing("f", OLD), exporting("base", "f", OLD))
                .isRefused("EINVAL", Layer.SYMBOL_CRC);
    }

    @Test
    void providersAreNamedInOrderWithTheirOrigin() {
        List<Judged> together = Judged.together(
                Kernels.version("6.1"),
                List.of(
                        typical("user").importing("own", OLD).importing("given", OLD),
                        exporting("b_given", "given", OLD)),
                List.of(exporting("a_own", "own", OLD)));

        assertThat(together.get(0).verdict().providers())
                .containsExactly(new Provider("a_own", "a_own.ko", false), new Provider("b_given", "b_given.ko", true));
    }

    @Test
    void judgesAModuleAloneWithoutTheOthersOfTheList() {
        List<KernelModule> given =
                Judged.readAll(List.of(typical("user").importing("f", OLD), exporting("base", "f", OLD)));

        TargetKernel target = Kernels.version("6.1").build();
        List<Verdict> verdicts =
                LoadSet.alone(target, given, List.of(), Set.of(), new ExportRowCache(target.exports()), 1);

        assertThat(verdicts).extracting(Verdict::outcome).containsExactly(Outcome.INCOMPATIBLE, Outcome.COMPATIBLE);
    }

    @Test
    void replacesTheInTreeModuleOfItsNameIfJudgedAlone() {
        ModuleBuilder own = exporting("base", "f", NEW);

        Judged.alone(Kernels.version("6.1"), exporting("base", "f", OLD), own).isCompatible();
    }

    @Test
    void usesRowsOfModulesIfTheModulesAreNotAvailable() {
        Kernels kernel = Kernels.version("6.1").row(new Row(OLD, "f", "drivers/base-1", Kind.EXPORT_SYMBOL_GPL, null));
        ModuleBuilder user = typical("user").importing("f", OLD);

        Judged.alone(kernel, user).isRefused("ENOENT");
        Judged judged = Judged.alone(kernel.ownModulesUnknown(), user).isCompatible();
        assertThat(judged.verdict().providers()).containsExactly(new Provider("base_1", "drivers/base-1", false));
    }

    @Test
    void ignoresRowsOfGivenModules() {
        Kernels kernel = Kernels.version("6.1")
                .ownModulesUnknown()
                .row(new Row(OLD, "f", "drivers/base", Kind.EXPORT_SYMBOL, null));
        ModuleBuilder user = typical("user").importing("f", OLD);

        List<Judged> together = Judged.together(kernel, user, typical("base"));

        together.get(0).isRefused("ENOENT", Layer.SYMBOL_MISSING);
        assertThat(together.get(0).refusals().get(0).exporter()).isEqualTo("base");
    }

    @Test
    void isUndeterminedAboutExportsOfAnUnreadableModule() {
        Kernels kernel = Kernels.version("6.1").row(new Row(OLD, "f", "drivers/base", Kind.EXPORT_SYMBOL, null));
        List<KernelModule> given = Judged.readAll(List.of(typical("user").importing("f", OLD)));
        List<KernelModule> inTreeModules = Judged.readAll(List.of(exporting("base", "f", OLD)));

        TargetKernel target = kernel.build();
        List<Verdict> verdicts = LoadSet.sideBySide(
                target, given, inTreeModules, Set.of("base"), new ExportRowCache(target.exports()), 1);

        assertThat(verdicts).extracting(Verdict::outcome).containsExactly(Outcome.UNDETERMINED);
    }

    @Test
    void judgesNothingWithoutModules() {
        assertThat(Judged.together(Kernels.version("6.1"))).isEmpty();
    }

    @Test
    void countsTheFirstOfTwoExportsOfOneSymbol() {
        ModuleBuilder twice = exporting("base", "f", OLD).exporting("f", Export.Table.GPL, NEW);

        Judged.alone(Kernels.version("6.1"), typical("user").importing("f", OLD), twice)
                .isCompatible();
    }

    private static ModuleBuilder typical(String name) {
        return ModuleBuilder.typical(Machine.X86_64, name);
    }

    private static ModuleBuilder exporting(String name, String symbol, int crc) {
        return typical(name).exporting(symbol, Export.Table.NORMAL, crc);
    }
}
