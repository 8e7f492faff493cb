package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.Records;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The checks of resolve_symbol and simplify_symbols: existence, GPL-only, inherited taint, namespace, weak symbols. */
class SymbolStepTest {
    private static final int CRC = 7;

    @ParameterizedTest
    @CsvSource({"3.10, 0", "4.18, 0", "4.19, -2", "6.12, -2"})
    void refusesAnUnknownSymbol(String version, String number) {
        Judged.alone(Kernels.version(version), using("nowhere"))
                .isRefused("ENOENT", Layer.SYMBOL_MISSING)
                .saying("m: Unknown symbol nowhere (err " + number + ")");
    }

    @Test
    void refusesAGplOnlySymbolForOtherLicenses() {
        Kernels kernel = Kernels.version("6.1").exportingGpl("secret", CRC);

        Judged.alone(kernel, using("secret")).isCompatible();
        Judged.alone(kernel, licensed(using("secret"), "MIT"))
                .isRefused("ENOENT", Layer.SYMBOL_GPL_ONLY)
                .saying("m: Unknown symbol secret (err -2)");
    }

    @Test
    void allowsASymbolThatWillBeGplOnly() {
        Kernels kernel = Kernels.version("5.4")
                .row(new Row(CRC, "soon", "vmlinux", Kind.EXPORT_SYMBOL_GPL_FUTURE, null))
                .row(new Row(CRC, "dusty", "vmlinux", Kind.EXPORT_UNUSED_SYMBOL_GPL, null));

        Judged.alone(kernel, licensed(using("soon"), "MIT")).isCompatible();
        Judged.alone(kernel, licensed(using("dusty"), "MIT")).isRefused("ENOENT", Layer.SYMBOL_GPL_ONLY);
    }

    @Test
    void theFirstLicenseCountsAndAMissingOneIsProprietary() {
        Kernels kernel = Kernels.version("6.1").exportingGpl("secret", CRC);

        Judged.alone(kernel, using("secret").modInfo("license=Proprietary")).isCompatible();
        Judged.alone(kernel, licensed(using("secret"), "MIT").modInfo("license=GPL"))
                .isRefused("ENOENT", Layer.SYMBOL_GPL_ONLY);
        Judged.alone(kernel, using("secret").withoutModInfo("license")).isRefused("ENOENT", Layer.SYMBOL_GPL_ONLY);
    }

    /** get_modinfo finds nothing in a section that find_sec ignores. */
    @Test
    void ignoresALicenseThatIsNotLoadedUpTo63() {
        ModuleBuilder module = using("secret").modInfo(Presence.NOT_ALLOCATED);

        Judged.alone(Kernels.debian().exportingGpl("secret", CRC), module).isRefused("ENOENT", Layer.SYMBOL_GPL_ONLY);
        Judged.alone(Kernels.version("6.4").exportingGpl("secret", CRC), module).isCompatible();
    }

    @Test
    void ignoresANamespaceImportThatIsNotLoadedUpTo63() {
        ModuleBuilder module = using("inside").modInfo("import_ns=NS").modInfo(Presence.NOT_ALLOCATED);

        Judged.alone(Kernels.debian().exportingIn("NS", "inside", CRC), module).isRefused("EINVAL", Layer.NAMESPACE);
        Judged.alone(Kernels.version("6.4").exportingIn("NS", "inside", CRC), module)
                .isCompatible();
    }

    @Test
    void acceptsAWeakSymbolThatIsUnknownOrGplOnly() {
        Kernels kernel = Kernels.version("6.1").exportingGpl("secret", CRC);
        ModuleBuilder module = licensed(typical().importing("secret", true).importing("nowhere", true), "MIT");

        Judged judged = Judged.alone(kernel, module).isCompatible();

        assertThat(judged.verdict().findings()).extracting(Finding::symbol).containsExactly("secret", "nowhere");
    }

    @Test
    void checksTheCrcOfAnExportedWeakSymbol() {
        Kernels kernel = Kernels.version("6.1").exporting("there", CRC).exportingIn("NS", "in", CRC);

        Judged.alone(kernel, typical().importing("there", true).version("there", CRC + 1))
                .isRefused("EINVAL", Layer.SYMBOL_CRC);
        Judged.alone(kernel, typical().importing("in", true).version("in", CRC)).isRefused("EINVAL", Layer.NAMESPACE);
    }

    @Test
    void ignoresTheGlobalOffsetTableOnX86From512On() {
        ModuleBuilder module = typical().importing("_GLOBAL_OFFSET_TABLE_", false);

        Judged.alone(Kernels.version("5.12"), module).isCompatible();
        Judged.alone(Kernels.version("5.11"), module).isRefused("ENOENT", Layer.SYMBOL_MISSING);
        Judged.alone(
                        Kernels.version("5.12", Machine.ARM),
                        ModuleBuilder.typical(Machine.ARM, "m").importing("_GLOBAL_OFFSET_TABLE_", false))
                .isRefused("ENOENT", Layer.SYMBOL_MISSING);
    }

    @Test
    void doesNotResolveImportsFromTheModuleItself() {
        ModuleBuilder module = using("mine").exporting("mine", Export.Table.NORMAL, CRC);

        Judged.alone(Kernels.version("6.1"), module).isRefused("ENOENT", Layer.SYMBOL_MISSING);
        Judged.alone(Kernels.version("6.1"), module, module).isRefused("ENOENT", Layer.SYMBOL_MISSING);
        Judged.together(Kernels.version("6.1"), module).get(0).isRefused("ENOENT", Layer.SYMBOL_MISSING);
    }

    @Test
    void isUndeterminedAboutSymbolsMissingInIncompleteExports() {
        Judged.alone(Kernels.version("6.1").exportsIncomplete(), using("nowhere"))
                .isUndetermined();
    }

    @Test
    void judgesAMissingNamespaceImport() {
        Kernels kernel = Kernels.version("5.4").exportingIn("NS", "inside", CRC);

        Judged.alone(kernel, using("inside"))
                .isRefused("EINVAL", Layer.NAMESPACE)
                .saying("m: module uses symbol (inside) from namespace NS, but does not import it.");
        Judged.alone(kernel, using("inside").modInfo("import_ns=A").modInfo("import_ns=NS"))
                .isCompatible();
        Judged.alone(kernel, using("inside").modInfo("import_ns=NS,A")).isRefused("EINVAL", Layer.NAMESPACE);
        Judged.alone(kernel, using("inside").modInfo("import_ns=ns")).isRefused("EINVAL", Layer.NAMESPACE);
    }

    @Test
    void before54ThereAreNoNamespaces() {
        Judged.alone(Kernels.version("5.3").exportingIn("NS", "inside", CRC), using("inside"))
                .isCompatible();
    }

    @Test
    void kernelMayOnlyWarnAboutNamespaces() {
        Kernels kernel = Kernels.version("6.1").exportingIn("NS", "inside", CRC).rule(LoaderRule.NAMESPACES, "warn");

        Judged.alone(kernel, using("inside"))
                .isCompatible()
                .noting("m: module uses symbol (inside) from namespace NS, but does not import it.");
    }

    @Test
    void wrongCrcHidesAMissingNamespace() {
        Judged.alone(Kernels.version("6.1").exportingIn("NS", "inside", CRC + 1), using("inside"))
                .isRefused("EINVAL", Layer.SYMBOL_CRC);
    }

    @Test
    void namespacesForNamedModulesFrom616On() {
        Row row = new Row(CRC, "for_you", "vmlinux", Kind.EXPORT_SYMBOL_GPL, "module:other,m-1*");

        Judged.alone(Kernels.version("6.16").row(row), using("m_1x", "for_you")).isCompatible();
        Judged.alone(Kernels.version("6.16").row(row), using("m", "for_you"))
                .isRefused("EINVAL", Layer.NAMESPACE)
                .saying("m: module uses symbol (for_you) from namespace module:other,m-1*, but does not"
                        + " import it.");
    }

    @Test
    void refusesAnImportOfAModuleNamespace() {
        Row row = new Row(CRC, "for_you", "vmlinux", Kind.EXPORT_SYMBOL_GPL, "module:m");
        ModuleBuilder module = using("for_you").modInfo("import_ns=module:m");

        Judged.alone(Kernels.version("6.16").row(row), module)
                .isRefused("EPERM", Layer.NAMESPACE)
                .saying("m: module tries to import module namespace: module:m");
        Judged.alone(Kernels.version("6.15").row(row), module).isCompatible();
    }

    @Test
    void isUndeterminedForAProprietaryModuleWithoutAKnownLicense() {
        byte[] threeColumns = "0x00000007\ta\tvmlinux\n".getBytes(StandardCharsets.US_ASCII);
        TargetKernel target = Kernels.version("6.1").build();
        TargetKernel unknown = Records.with(
                target,
                "exports",
                SymversReader.read(threeColumns, threeColumns.length).exports(),
                "exportsComplete",
                true,
                "ownModulesKnown",
                true,
                "ownBuilds",
                Set.of());

        Judged.alone(unknown, Judged.read(using("a").spec()), List.of()).isCompatible();
        Judged.alone(unknown, Judged.read(licensed(using("a"), "MIT").spec()), List.of())
                .isUndetermined();
    }

    private static ModuleBuilder typical() {
        return ModuleBuilder.typical(Machine.X86_64, "m");
    }

    private static ModuleBuilder using(String symbol) {
        return typical().importing(symbol, CRC);
    }

    private static ModuleBuilder using(String name, String symbol) {
        return ModuleBuilder.typical(Machine.X86_64, name).importing(symbol, CRC);
    }

    private static ModuleBuilder licensed(ModuleBuilder module, String license) {
        return module.withoutModInfo("license").modInfo("license=" + license);
    }
}
