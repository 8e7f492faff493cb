package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExportFormat;
import dev.weaklink.testing.ExportFormat.Crcs;
import dev.weaklink.testing.ExportFormat.References;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.ExtraSymbol;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.Oddities;
import dev.weaklink.testing.SignatureTrailer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Modules that these tests write, and the answers of a booted 6.1.192 of Debian (x86-64, with modversions, forced
 * loading and enforced namespaces; missing versions are refused).
 */
class ObservedAnswersTest {
    private static final int PRINTK = 0x92997ed8;
    private static final int CRC = 0x1234;

    @ParameterizedTest
    @EnumSource(References.class)
    void exportsWithPlainCrcsLoadWhateverTheirNamesReferTo(References references) {
        load(exporter(ExportFormat.current(Machine.X86_64).with(references)));
    }

    @Test
    void exportsWithRelocatedCrcsLoad() {
        load(exporter(ExportFormat.current(Machine.X86_64).with(Crcs.ABSOLUTE_32)));
    }

    @ParameterizedTest
    @EnumSource(
            value = Crcs.class,
            names = {"PLAIN", "ABSOLUTE_32"})
    void loadsAModuleThatUsesTheModules(Crcs crcs) {
        ModuleBuilder user =
                typical().importing("plain", CRC).importing("hidden", CRC + 1).modInfo("import_ns=NS");

        Judged.alone(
                        kernel(),
                        user,
                        exporter(ExportFormat.current(Machine.X86_64).with(crcs)))
                .isCompatible();
    }

    @Test
    void thirtyThreeThousandSectionsLoad() {
        load(typical().oddities(Oddities.NONE.andEmptySections(33_000)));
    }

    @Test
    void btfAndBuildIdLoad() {
        load(typical().oddities(Oddities.NONE.andBtf()));
        load(typical().oddities(Oddities.NONE.andBuildId("00112233445566778899aabbccddeeff00112233")));
    }

    @Test
    void twoStructModulesLoad() {
        load(typical().thisModule(Presence.TWICE));
    }

    @Test
    void loadsAModuleWithATrailerOfAnotherKind() {
        Judged.alone(kernel(), typical().signed(SignatureTrailer.x509(new byte[4], new byte[4], new byte[8])))
                .isCompatible()
                .noting("module: not signed with expected PKCS#7 message");
    }

    @Test
    void modinfoThatIsNotLoadedIsAForcedLoadOfAProprietaryModule() {
        ModuleBuilder module = typical().modInfo(Presence.NOT_ALLOCATED);

        Judged.alone(kernel(), module).isCompatible().noting("m: bad vermagic: kernel tainted.");
        Judged.alone(kernel().exportingGpl("only_gpl", CRC), module.importing("only_gpl", CRC))
                .isRefused("ENOENT");
    }

    @Test
    void namesBothAWrongCrcAndAMissingNamespace() {
        Kernels kernel = kernel().exportingIn("NS", "hidden", CRC);
        ModuleBuilder module = bare().importing("_printk", PRINTK + 1).importing("hidden", CRC);

        Judged judged = Judged.alone(kernel, module).isRefused("EINVAL");

        assertThat(judged.refusedSymbols()).containsExactly("symbol-crc _printk", "namespace hidden");
        judged.saying(
                "m: disagrees about version of symbol _printk",
                "m: module uses symbol (hidden) from namespace NS, but does not import it.");
    }

    @Test
    void refusesAnExportOfAKernelsSymbol() {
        Judged.alone(kernel(), typical().exporting("_printk", Export.Table.NORMAL, CRC))
                .isRefused("ENOEXEC")
                .saying("m: exports duplicate symbol _printk (owned by kernel)");
    }

    @Test
    void refusesDamagedFilesWithEnoexec() {
        refuse("ENOEXEC", typical().textRelocation(2, 1));
        refuse("ENOEXEC", typical().oddities(Oddities.NONE.andWritableCode()));
        refuse("ENOEXEC", typical().symbol("shared", ExtraSymbol.Kind.COMMON));
        refuse("ENOEXEC", typical().oddities(Oddities.NONE.andNoSymbolTable()));
        refuse("ENOEXEC", typical().oddities(Oddities.NONE.andSymbolTableLink(99)));
    }

    @Test
    void refusesACrcWithAnUpperHalf() {
        refuse(
                "EINVAL",
                bare().importing("_printk", false).version("_printk", 1L << 32 | Integer.toUnsignedLong(PRINTK)));
    }

    @Test
    void refusesASignatureThatIsNotAMessage() {
        refuse("EBADMSG", typical().signed(SignatureTrailer.pkcs7(new byte[] {0x30, 0})));
    }

    private static Kernels kernel() {
        return Kernels.debian().exporting("_printk", PRINTK);
    }

    private static ModuleBuilder typical() {
        return bare().importing("_printk", PRINTK);
    }

    private static ModuleBuilder bare() {
        return ModuleBuilder.typical(Machine.X86_64, "m");
    }

    private static ModuleBuilder exporter(ExportFormat format) {
        return ModuleBuilder.typical(Machine.X86_64, "exporter")
                .importing("_printk", PRINTK)
                .exportFormat(format)
                .exporting("plain", Export.Table.NORMAL, CRC)
                .exporting(new Export("hidden", Export.Table.GPL, CRC + 1, "NS"));
    }

    private static void load(ModuleBuilder module) {
        Judged.alone(kernel(), module).isCompatible();
    }

    private static void refuse(String errno, ModuleBuilder module) {
        Judged.alone(kernel(), module).isRefused(errno);
    }
}
