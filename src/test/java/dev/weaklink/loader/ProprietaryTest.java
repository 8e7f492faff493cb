package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** inherit_taint: the order of a module's symbols decides which of them the module may use. */
class ProprietaryTest {
    private static final int CRC = 7;

    @ParameterizedTest
    @CsvSource({
        "5.9, uses symbols from",
        "5.17, uses symbols from",
        "5.18, uses symbols p_fn from",
        "6.12, uses symbols p_fn from"
    })
    void gplOnlyFirstThenProprietaryIsRefused(String version, String words) {
        Judged.alone(kernel(version), gpl("m", "k_gpl", "p_fn"), proprietary())
                .isRefused("ENOENT", Layer.LICENSE)
                .saying("m: module using GPL-only symbols " + words + " proprietary module p.");
    }

    @ParameterizedTest
    @CsvSource({"5.9, uses symbols from", "5.18, uses symbols p_fn from"})
    void doesNotFindGplOnlySymbolsAfterAProprietaryOne(String version, String words) {
        Judged judged = Judged.alone(kernel(version), gpl("m", "p_fn", "k_gpl"), proprietary())
                .isRefused("ENOENT", Layer.SYMBOL_GPL_ONLY)
                .noting("m: module " + words + " proprietary module p, inheriting taint.");

        assertThat(judged.refusedSymbols()).containsExactly("symbol-gpl-only k_gpl");
    }

    @Test
    void loadsAProprietaryModuleWithPlainSymbolsOnly() {
        Judged.alone(kernel("6.1"), gpl("m", "k_plain", "p_fn"), proprietary()).isCompatible();
    }

    @ParameterizedTest
    @ValueSource(strings = {"4.18", "5.8"})
    void olderKernelsDoNotInherit(String version) {
        Judged.alone(kernel(version), gpl("m", "k_gpl", "p_fn"), proprietary()).isCompatible();
        Judged.alone(kernel(version), gpl("m", "p_fn", "k_gpl"), proprietary()).isCompatible();
    }

    @Test
    void refusesAGplOnlyExportOfAProprietaryModule() {
        ModuleBuilder proprietary = licensed("p", "Proprietary").exporting("p_fn", Export.Table.GPL, CRC);

        Judged.alone(kernel("6.1"), gpl("m", "p_fn"), proprietary).isRefused("ENOENT", Layer.LICENSE);
    }

    @Test
    void toleratesAWeakSymbolThatIsWithdrawn() {
        ModuleBuilder module = licensed("m", "GPL")
                .importing("k_gpl", CRC)
                .importing("p_fn", true)
                .version("p_fn", CRC);

        Judged.alone(kernel("6.1"), module, proprietary()).isCompatible();
    }

    @Test
    void inheritsTaintThroughAnotherModule() {
        ModuleBuilder between = gpl("between", "p_fn").exporting("b_fn", Export.Table.NORMAL, CRC);

        Judged.alone(kernel("6.1"), gpl("m", "k_gpl", "b_fn"), proprietary(), between)
                .isRefused("ENOENT", Layer.LICENSE);
        Judged.alone(kernel("5.8"), gpl("m", "k_gpl", "b_fn"), proprietary(), between)
                .isCompatible();
    }

    @Test
    void treatsTwoNamedModulesAsProprietaryWithAnyLicense() {
        for (String name : new String[] {"driverloader", "lve"}) {
            Judged.alone(kernel("6.1"), gpl(name, "k_gpl")).isRefused("ENOENT", Layer.SYMBOL_GPL_ONLY);
        }
        Judged.alone(kernel("6.1"), gpl("ndiswrapper", "k_gpl")).isCompatible();
    }

    @Test
    void checksTheCrcAfterTheTaint() {
        ModuleBuilder module = licensed("m", "GPL").importing("p_fn", CRC + 1).importing("k_gpl", CRC);

        Judged judged = Judged.alone(kernel("6.1"), module, proprietary()).isRefused("ENOENT");

        assertThat(judged.refusedSymbols()).containsExactly("symbol-crc p_fn", "symbol-gpl-only k_gpl");
    }

    private static Kernels kernel(String version) {
        return Kernels.version(version).exporting("k_plain", CRC).exportingGpl("k_gpl", CRC);
    }

    private static ModuleBuilder proprietary() {
        return licensed("p", "Proprietary").exporting("p_fn", Export.Table.NORMAL, CRC);
    }

    private static ModuleBuilder gpl(String name, String... imports) {
        ModuleBuilder module = licensed(name, "GPL");
        for (String symbol : imports) {
            module.importing(symbol, CRC);
        }
        return module;
    }

    private static ModuleBuilder licensed(String name, String license) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("license")
                .modInfo("license=" + license);
    }
}
