package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ElfSection;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.ExtraSymbol;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.Oddities;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The checks of the ELF file, with the kernel's message in each version; "none" is a kernel that logs no message. */
class ElfStepTest {
    private static final int SHSTRNDX = 62;
    private static final int SHENTSIZE = 58;
    private static final int SHOFF = 40;

    @Test
    void refusesAnEmptyFileWithEinvalAndNoMessage() {
        judge("6.1", new byte[0]).isRefused("EINVAL", Layer.ELF).silently();
        judge("4.18", new byte[0]).isRefused("EINVAL", Layer.ELF).silently();
    }

    @ParameterizedTest
    @CsvSource({
        "5.8, none",
        "5.9, Module has invalid ELF header",
        "5.11, Module has invalid ELF header",
        "5.12, Module has invalid ELF structures",
        "5.15, Module has invalid ELF structures",
        "5.17, Invalid ELF header len 20",
        "6.12, Invalid ELF header len 20"
    })
    void refusesATooShortFile(String version, String line) {
        refused(judge(version, Arrays.copyOf(typical(), 20)), line);
    }

    /** elf_check_arch compares e_machine and ignores EI_DATA. */
    @ParameterizedTest
    @EnumSource(names = {"X86_64", "AARCH64", "S390X", "PPC64LE", "PPC64", "RISCV64", "LOONGARCH64"})
    void ignoresTheByteOrderInTheIdentification(Machine machine) {
        byte[] module = ModuleBuilder.typical(machine, "m").build();
        module[5] ^= 3;

        Judged.alone(Kernels.version("6.1", machine).build(), Judged.read(module), List.of())
                .isCompatible();
    }

    @ParameterizedTest
    @CsvSource({
        "5.8, none",
        "5.10, Module has invalid ELF header",
        "5.14, Module has invalid ELF structures",
        "6.1, Invalid ELF header magic: != \\x7fELF"
    })
    void refusesAFileThatIsNotElf(String version, String line) {
        byte[] module = typical();
        module[0] = 'E';

        refused(judge(version, module), line);
    }

    @ParameterizedTest
    @CsvSource({"4.18, none", "5.10, Module has invalid ELF header", "6.1, Invalid ELF header type: 3 != 1"})
    void refusesAFileThatIsNotRelocatable(String version, String line) {
        byte[] module = typical();
        module[16] = 3;

        refused(judge(version, module), line);
    }

    @ParameterizedTest
    @CsvSource({"4.18, none", "6.1, Invalid architecture in ELF header: 183"})
    void refusesAFileForAnotherMachine(String version, String line) {
        Judged judged = judge(
                        version, ModuleBuilder.typical(Machine.AARCH64, "m").build())
                .isRefused("ENOEXEC", Layer.ARCHITECTURE);

        says(judged, line);
    }

    @Test
    void parametersOfOneNameProveNothing() {
        Oddities one = Oddities.NONE.andParameter("debug");
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m");

        judge("6.1", module.oddities(one).build()).isCompatible();
        judge("6.1", module.oddities(one.andParameter("debug")).build()).isUndetermined();
    }

    @Test
    void findsAWrongTypeInABigEndianModule() {
        judge("6.1", ModuleBuilder.typical(Machine.S390X, "m").build())
                .isRefused("ENOEXEC", Layer.ARCHITECTURE)
                .saying("Invalid ELF header type: 256 != 1");
    }

    @Test
    void leavesTheArchitectureUncheckedWithoutAKnownMachine() {
        Kernels kernel = Kernels.version("6.1").withoutMachine();

        Judged judged =
                Judged.alone(kernel.build(), Judged.read(typical()), List.of()).isCompatible();

        assertThat(judged.verdict().unchecked()).contains("architecture");
    }

    @ParameterizedTest
    @CsvSource({
        "5.8, none",
        "5.11, Module has invalid ELF header",
        "5.12, Module has invalid ELF structures",
        "6.1, Invalid ELF section header size"
    })
    void sectionHeadersOfAnotherSize(String version, String line) {
        byte[] module = typical();
        module[SHENTSIZE] = 40;

        refused(judge(version, module), line);
    }

    @ParameterizedTest
    @CsvSource({"5.8, none", "6.1, Invalid ELF section header overflow"})
    void sectionHeadersOutsideTheFile(String version, String line) {
        byte[] module = typical();
        Arrays.fill(module, SHOFF, SHOFF + 8, (byte) 0x7f);

        refused(judge(version, module), line);
    }

    @ParameterizedTest
    @CsvSource({
        "5.12, Module has invalid ELF structures",
        "6.1, Invalid ELF section name index: 99 || e_shstrndx (99) >= e_shnum (9)"
    })
    void judgesAFileWithoutSectionNames(String version, String line) {
        refused(judge(version, withoutSectionNames()), line);
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.10", "5.11"})
    void isUndeterminedAboutSectionNamesOnOldKernels(String version) {
        judge(version, withoutSectionNames()).isUndetermined();
    }

    @ParameterizedTest
    @CsvSource({
        "3.10, Module len LENGTH truncated",
        "5.11, Module len LENGTH truncated",
        "5.12, Module has invalid ELF structures",
        "6.1, Invalid ELF section in module (section 1 type 1)"
    })
    void judgesASectionOutsideTheFile(String version, String line) {
        byte[] module = longSection();

        refused(judge(version, module), line.replace("LENGTH", Integer.toString(module.length)));
    }

    @ParameterizedTest
    @CsvSource({
        "5.12, Module has invalid ELF structures",
        "6.1, Invalid ELF sh_link!=SHN_UNDEF(99) or (sh_link(99) >= hdr->e_shnum(9)"
    })
    void judgesASymbolTableWithoutStrings(String version, String line) {
        Oddities oddities = Oddities.NONE.andSymbolTableLink(99);

        refused(judge(version, builder().oddities(oddities)), line);
    }

    @ParameterizedTest
    @CsvSource({"6.3, compatible", "6.4, Only one .modinfo section must exist."})
    void severalModinfoSections(String version, String line) {
        Judged judged = judge(version, builder().modInfo(Presence.TWICE));

        if (line.equals("compatible")) {
            judged.isCompatible();
        } else {
            refused(judged, line);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.10", "5.15", "6.1", "6.12"})
    void judgesAFileWithoutASymbolTable(String version) {
        Oddities oddities = Oddities.NONE.andNoSymbolTable();

        refused(judge(version, builder().oddities(oddities)), "m: module has no symbols (stripped?)");
    }

    @Test
    void writableAndExecutableSections() {
        ModuleBuilder module = builder().oddities(Oddities.NONE.andWritableCode());
        // sections 1 to 5 are .text, .modinfo, __versions, struct module and this one
        String line = "m: section .wx (index 5) has invalid WRITE|EXEC flags";

        judge("5.7", module).isCompatible();
        judge("5.8", module).isRefused("ENOEXEC", Layer.ELF).silently();
        judge("5.10", module).isRefused("ENOEXEC", Layer.ELF).saying(line);
        judge("6.12", module).isRefused("ENOEXEC", Layer.ELF).saying(line);
    }

    /** layout_and_allocate runs after the check of vermagic and before simplify_symbols. */
    @Test
    void writableAndExecutableSectionsGoBeforeSymbols() {
        ModuleBuilder module = builder().importing("unknown", 1).oddities(Oddities.NONE.andWritableCode());

        judge("6.1", module).isRefused("ENOEXEC", Layer.ELF);
        judge("6.1", module.withoutModInfo("vermagic").modInfo("vermagic=x")).isRefused("ENOEXEC", Layer.VERMAGIC);
    }

    @Test
    void refusesACommonSymbol() {
        judge("6.1", builder().symbol("shared", ExtraSymbol.Kind.COMMON))
                .isRefused("ENOEXEC", Layer.ELF)
                .saying("m: please compile with -fno-common");
    }

    @Test
    void continuesAfterACommonSymbolAndReturnsTheLastErrno() {
        ModuleBuilder module = builder().importing("unknown", 1).symbol("shared", ExtraSymbol.Kind.COMMON);

        judge("6.1", module)
                .isRefused("ENOEXEC")
                .saying("m: Unknown symbol unknown (err -2)", "m: please compile with -fno-common");
    }

    @Test
    void refusesAnUnterminatedStringTableFrom613On() {
        byte[] module = builder().build();
        int strings = sectionOfType(module, ElfSection.SHT_STRTAB);
        module[(int) number(module, tableAt(module) + strings * 64 + 24, 8)] = 'x';

        judge("6.12", module).isCompatible();
        judge("6.13", module).isRefused("ENOEXEC", Layer.ELF);
    }

    /**
     * The kernel checks the name table first, then section 0, from 5.12 to 6.12. Later kernels check section 0 first,
     * then the section bounds.
     */
    @ParameterizedTest
    @CsvSource({
        "6.1, Invalid ELF section hdr(type 3), section 0 type(7)!=SH_NULL or non-zero len or addr",
        "6.4, Invalid ELF section hdr(type 3), section 0 type(7)!=SH_NULL or non-zero len or addr",
        "6.13, section 0 type(7)!=SH_NULL or non-zero len or addr,"
                + " section 0 type(7)!=SH_NULL or non-zero len or addr"
    })
    void checksNameTableAndSectionZeroInTheKernelsOrder(String version, String all, String zeroAndOther) {
        byte[] module = typical();
        int names = (int) number(module, 62, 2);
        module[tableAt(module) + 4] = 7;
        Arrays.fill(module, tableAt(module) + 64 + 32, tableAt(module) + 64 + 36, (byte) 0x7f);
        byte[] without = module.clone();
        Arrays.fill(without, tableAt(module) + names * 64 + 32, tableAt(module) + names * 64 + 36, (byte) 0x7f);

        assertThat(dmesg(judge(version, without))).endsWith(all);
        assertThat(dmesg(judge(version, module))).endsWith(zeroAndOther);
    }

    private static String dmesg(Judged judged) {
        return String.valueOf(judged.verdict().findings().get(0).dmesg());
    }

    @ParameterizedTest
    @CsvSource({
        "4.10, m",
        "4.14, (missing .modinfo name field)",
        "6.1, (missing .modinfo section or name field)",
        "7.2, (missing .modinfo section or name field)"
    })
    void judgesAModuleWithoutSymbolsOrAName(String version, String name) {
        ModuleBuilder module = builder().withoutModInfo("name").oddities(Oddities.NONE.andNoSymbolTable());

        refused(judge(version, module), name + ": module has no symbols (stripped?)");
    }

    private static void refused(Judged judged, String line) {
        says(judged.isRefused("ENOEXEC", Layer.ELF), line);
    }

    private static void says(Judged judged, String line) {
        if (line.equals("none")) {
            judged.silently();
        } else {
            judged.saying(line);
        }
    }

    private static ModuleBuilder builder() {
        return ModuleBuilder.typical(Machine.X86_64, "m");
    }

    private static byte[] typical() {
        return builder().build();
    }

    private static byte[] withoutSectionNames() {
        byte[] module = typical();
        module[SHSTRNDX] = 99;
        return module;
    }

    /** Returns a module whose section 1, .text, ends beyond the file. */
    private static byte[] longSection() {
        byte[] module = typical();
        Arrays.fill(module, tableAt(module) + 64 + 32, tableAt(module) + 64 + 36, (byte) 0x7f);
        return module;
    }

    private static int tableAt(byte[] module) {
        return (int) number(module, SHOFF, 8);
    }

    private static int sectionOfType(byte[] module, int type) {
        int index = 1;
        while (number(module, tableAt(module) + index * 64 + 4, 4) != type) {
            index++;
        }
        return index;
    }

    private static long number(byte[] bytes, int at, int width) {
        long value = 0;
        for (int i = width - 1; i >= 0; i--) {
            value = value << 8 | (bytes[at + i] & 0xff);
        }
        return value;
    }

    private static Judged judge(String version, ModuleBuilder module) {
        return judge(version, module.build());
    }

    private static Judged judge(String version, byte[] module) {
        return Judged.alone(Kernels.version(version).build(), Judged.read(module), List.of());
    }
}
