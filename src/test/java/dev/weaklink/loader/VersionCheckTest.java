package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.testing.ExportFormat;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.Oddities;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The checks of check_version, for symbols and for module_layout. */
class VersionCheckTest {
    private static final int CRC = 0x0badcafe;

    @Test
    void refusesADifferentCrcWithEinvalAndBothCrcs() {
        Judged judged = Judged.alone(kernel("6.1"), using("printk", CRC + 1))
                .isRefused("EINVAL", Layer.SYMBOL_CRC)
                .saying("m: disagrees about version of symbol printk");

        Finding finding = judged.refusals().get(0);
        assertThat(finding.wants()).isEqualTo("0x0badcaff");
        assertThat(finding.offers()).isEqualTo("0x0badcafe");
        assertThat(finding.exporter()).isEqualTo("vmlinux");
    }

    @Test
    void comparesAWhole64BitSlot() {
        long wide = 1L << 32 | CRC;

        Judged.alone(kernel("6.1"), typical().importing("printk", false).version("printk", wide))
                .isRefused("EINVAL", Layer.SYMBOL_CRC);
        Judged.alone(
                        Kernels.version("6.1", Machine.I386).exporting("printk", CRC),
                        ModuleBuilder.typical(Machine.I386, "m")
                                .importing("printk", false)
                                .version("printk", wide))
                .isCompatible();
    }

    @Test
    void crcsAreUnsigned() {
        Kernels kernel = kernel("6.1").exporting("high", -2);

        Judged.alone(kernel, using("high", -2)).isCompatible();
    }

    @Test
    void zeroIsACrcLikeAnyOther() {
        Kernels kernel = kernel("6.1").exporting("zero", 0);

        Judged.alone(kernel, using("zero", 0)).isCompatible();
        Judged.alone(kernel, using("zero", 1)).isRefused("EINVAL", Layer.SYMBOL_CRC);
        Judged.alone(kernel, using("printk", 0)).isRefused("EINVAL", Layer.SYMBOL_CRC);
    }

    @Test
    void usesTheFirstEntryOfAName() {
        Judged.alone(kernel("6.1"), using("printk", CRC).version("printk", 1)).isCompatible();
        Judged.alone(
                        kernel("6.1"),
                        typical()
                                .importing("printk", false)
                                .version("printk", 1)
                                .version("printk", Integer.toUnsignedLong(CRC)))
                .isRefused("EINVAL", Layer.SYMBOL_CRC);
    }

    @Test
    void returnsEnoexecForAnotherModuleLayoutBeforeTheSymbols() {
        Judged.alone(kernel("6.1"), using("printk", 1).importing("unknown", 1).changedVersion("module_layout", 5))
                .isRefused("ENOEXEC", Layer.MODULE_LAYOUT)
                .saying("m: disagrees about version of symbol module_layout");
    }

    @Test
    void leavesModuleLayoutUncheckedIfTheKernelsIsUnknown() {
        Kernels kernel = Kernels.bare("6.1", Machine.X86_64).exporting("printk", CRC);

        assertThat(Judged.alone(kernel, using("printk", CRC))
                        .isCompatible()
                        .verdict()
                        .unchecked())
                .contains("module-layout");
    }

    @Test
    void debianAndTheOldestKernelRefuseAMissingEntry() {
        ModuleBuilder module = typical().importing("printk", false);

        Judged.alone(kernel("6.1").rule(LoaderRule.MISSING_VERSION, "refuse"), module)
                .isRefused("EINVAL", Layer.SYMBOL_VERSION)
                .saying("m: no symbol version for printk");
        Judged.alone(kernel("4.8"), module).isRefused("EINVAL", Layer.SYMBOL_VERSION);
    }

    @Test
    void acceptsAMissingEntryUpstreamWithoutProof() {
        ModuleBuilder module = typical().importing("printk", false);

        Judged.alone(kernel("6.1"), module).isUndetermined().noting("m: no symbol version for printk");
        Judged.alone(kernel("4.9"), module).isUndetermined();
    }

    @Test
    void returnsEnoexecForAMissingModuleLayoutIfRefused() {
        ModuleBuilder module = using("printk", CRC).withoutVersion("module_layout");

        Judged.alone(kernel("6.1").rule(LoaderRule.MISSING_VERSION, "refuse"), module)
                .isRefused("ENOEXEC", Layer.MODULE_LAYOUT)
                .saying("m: no symbol version for module_layout");
    }

    @Test
    void findsNoEntryInAnEmptyTable() {
        ModuleBuilder module = typical().withoutVersion("module_layout").importing("printk", false);

        Judged.alone(kernel("6.1"), module).isUndetermined();
        Judged.alone(kernel("4.8"), module).isRefused("ENOEXEC", Layer.MODULE_LAYOUT);
    }

    @Test
    void refusesOrForcesAModuleWithoutAVersionTable() {
        ModuleBuilder module = using("printk", CRC).versions(Presence.ABSENT);

        Judged.alone(kernel("6.1").rule(LoaderRule.FORCE_LOAD, "yes"), module).isUndetermined();
        Judged.alone(kernel("6.1"), module)
                .isRefused("ENOEXEC", Layer.MODULE_LAYOUT)
                .silently();
    }

    @Test
    void refusesAForcedModuleWithAMissingSymbol() {
        ModuleBuilder module = using("printk", CRC).importing("unknown", 1).versions(Presence.ABSENT);

        Judged.alone(kernel("6.1").rule(LoaderRule.FORCE_LOAD, "yes"), module)
                .isRefused("ENOENT", Layer.SYMBOL_MISSING);
    }

    @Test
    void provesNothingWithoutModversions() {
        Kernels kernel = kernel("6.1").rule(LoaderRule.MODVERSIONS, "no");

        Judged.alone(kernel, using("printk", CRC)).isUndetermined();
        Judged.alone(kernel, using("printk", 1).changedVersion("module_layout", 1))
                .isUndetermined();
        Judged.alone(kernel, typical()).isUndetermined();
        Judged.alone(kernel, using("unknown", 1)).isRefused("ENOENT", Layer.SYMBOL_MISSING);
    }

    /** Debian 14 has no modversions; modules from the kernel's own build are recognised by their build ids. */
    @Test
    void recognisesOwnBuildsWithoutModversions() {
        TargetKernel kernel =
                kernel("7.2").rule(LoaderRule.MODVERSIONS, "no").build().withOwnBuilds(Set.of("00aa", "00bb"));

        assertThat(outcome(kernel, built(typical(), "00aa"))).isEqualTo(Outcome.COMPATIBLE);
        assertThat(outcome(kernel, built(typical(), "00cc"))).isEqualTo(Outcome.UNDETERMINED);
        assertThat(outcome(kernel, built(using("printk", 1), "00aa"))).isEqualTo(Outcome.COMPATIBLE);
        assertThat(outcome(kernel, built(user(), "00aa"), built(exporter(), "00bb")))
                .isEqualTo(Outcome.COMPATIBLE);
        assertThat(outcome(kernel, built(user(), "00aa"), exporter())).isEqualTo(Outcome.UNDETERMINED);
        assertThat(outcome(kernel, user(), built(exporter(), "00bb"))).isEqualTo(Outcome.UNDETERMINED);
    }

    private static ModuleBuilder user() {
        return using("printk", 1).importing("theirs", 1);
    }

    private static ModuleBuilder exporter() {
        return ModuleBuilder.typical(Machine.X86_64, "exporter")
                .exportFormat(ExportFormat.current(Machine.X86_64).withFlags())
                .exporting("theirs", Export.Table.NORMAL, CRC);
    }

    private static ModuleBuilder built(ModuleBuilder module, String id) {
        return module.oddities(Oddities.NONE.andBuildId(id));
    }

    private static Outcome outcome(TargetKernel kernel, ModuleBuilder module, ModuleBuilder... inTreeModules) {
        return Judged.alone(kernel, Judged.read(module.spec()), List.of(inTreeModules))
                .verdict()
                .outcome();
    }

    @Test
    void powerPcDropsALeadingDotOnBothSides() {
        Kernels kernel = Kernels.version("6.1", Machine.PPC64).exporting("printk", CRC);
        ModuleBuilder module = ModuleBuilder.typical(Machine.PPC64, "m")
                .importing(".TOC.", false)
                .importing(".printk", CRC);

        Judged.alone(kernel, module).isCompatible();
    }

    @Test
    void usesTheNameOfModinfoInTheMessageFrom414On() {
        ModuleBuilder module = using("printk", 1).withoutModInfo("name").modInfo("name=told");

        Judged.alone(kernel("4.12"), module).saying("m: disagrees about version of symbol printk");
        Judged.alone(kernel("4.14"), module).saying("told: disagrees about version of symbol printk");
    }

    private static Kernels kernel(String version) {
        return Kernels.version(version).exporting("printk", CRC);
    }

    private static ModuleBuilder typical() {
        return ModuleBuilder.typical(Machine.X86_64, "m");
    }

    private static ModuleBuilder using(String symbol, int crc) {
        return typical().importing(symbol, crc);
    }
}
