package dev.weaklink.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExportFormat.Crcs;
import dev.weaklink.testing.ExportFormat.Fields;
import dev.weaklink.testing.ExportFormat.References;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.ModuleSpec.ExtraSymbol;
import dev.weaklink.testing.ModuleSpec.Presence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the written modules with the output of readelf, an independent reader of ELF. */
class ReadelfAgreesTest {
    @TempDir
    Path directory;

    private ExternalTool readelf;

    @BeforeEach
    void needsReadelf() {
        readelf = ExternalTool.orSkip("readelf");
    }

    @ParameterizedTest
    @CsvSource({
        "X86_64, ELF64, little, Advanced Micro Devices X86-64, 0x0",
        "I386, ELF32, little, Intel 80386, 0x0",
        "ARM, ELF32, little, ARM, 0x5000000",
        "AARCH64, ELF64, little, AArch64, 0x0",
        "S390X, ELF64, big, IBM S/390, 0x0",
        "PPC64LE, ELF64, little, PowerPC64, 0x2",
        "PPC64, ELF64, big, PowerPC64, 0x1",
        "MIPSEL, ELF32, little, MIPS R3000, 0x70001001",
        "MIPS64EL, ELF64, little, MIPS R3000, 0x80000001",
        "RISCV64, ELF64, little, RISC-V, 0x1",
    })
    void theHeaderSaysMachineClassAndByteOrder(
            Machine machine, String elfClass, String order, String name, String flags) throws IOException {
        String header = read("-hW", ModuleBuilder.typical(machine, "demo"));

        assertThat(header)
                .containsPattern("Class: +" + elfClass)
                .containsPattern("Data: +2's complement, " + order + " endian")
                .containsPattern("Machine: +" + name)
                .containsPattern("Flags: +" + flags)
                .containsPattern("Type: +REL ")
                .doesNotContain("Error", "Warning");
    }

    @ParameterizedTest
    @EnumSource
    void undefinedSymbolsKeepTheirOrderAndBinding(Machine machine) throws IOException {
        String symbols = read(
                "-sW",
                ModuleBuilder.typical(machine, "demo")
                        .importing("zeta", false)
                        .importing("alpha", true)
                        .importing("mid", false));

        assertThat(symbols).doesNotContain("Error", "Warning");
        assertThat(symbols.lines().filter(line -> line.contains(" UND ")).skip(1))
                .extracting(line -> line.replaceAll(".*(GLOBAL|WEAK).* ", "$1 "))
                .containsExactly("GLOBAL zeta", "WEAK alpha", "GLOBAL mid");
    }

    @ParameterizedTest
    @EnumSource
    void writesOneRelocationForEachFieldAndCrc(Machine machine) throws IOException {
        ExportFormat format = ExportFormat.old().with(Fields.POINTERS_3).with(ExportFormat.NoNamespace.EMPTY_STRING);
        String relocations = read(
                "-rW",
                ModuleBuilder.typical(machine, "demo")
                        .exportFormat(format)
                        .exporting("one", Export.Table.NORMAL, 0x12345678)
                        .exporting("two", Export.Table.NORMAL, 0x23456789)
                        .exporting(new Export("three", Export.Table.GPL, 3, "NS")));

        String type = machine.addends() == Machine.Addends.EXPLICIT ? ".rela" : ".rel";
        assertThat(relocations)
                .containsPattern("'" + type + "__ksymtab' at offset .* contains 6 entries")
                .containsPattern("'" + type + "__ksymtab_gpl' at offset .* contains 3 entries")
                .containsPattern("'" + type + "__kcrctab' at offset .* contains 2 entries")
                .containsPattern("'" + type + "__kcrctab_gpl' at offset .* contains 1 entr")
                .containsPattern("'" + type + ".gnu.linkonce.this_module' at offset .* contains 2 entries")
                .containsPattern("12345678 +__crc_one")
                .doesNotContain("Error", "Warning", "unrecognized");
    }

    @ParameterizedTest
    @CsvSource({
        "X86_64, R_X86_64_64, R_X86_64_32, R_X86_64_PC32",
        "I386, R_386_32, R_386_32, R_386_PC32",
        "ARM, R_ARM_ABS32, R_ARM_ABS32, R_ARM_REL32",
        "AARCH64, R_AARCH64_ABS64, R_AARCH64_ABS32, R_AARCH64_PREL32",
        "S390X, R_390_64, R_390_32, R_390_PC32",
        "PPC64LE, R_PPC64_ADDR64, R_PPC64_ADDR32, R_PPC64_REL32",
        "PPC64, R_PPC64_ADDR64, R_PPC64_ADDR32, R_PPC64_REL32",
        "MIPSEL, R_MIPS_32, R_MIPS_32, R_MIPS_PC32",
        "MIPS64EL, R_MIPS_64, R_MIPS_32, R_MIPS_PC32",
        "RISCV64, R_RISCV_64, R_RISCV_32, R_RISCV_32_PCREL",
    })
    void relocationTypesHaveTheMachinesNames(Machine machine, String word, String absolute, String relative)
            throws IOException {
        ModuleBuilder module = ModuleBuilder.minimal(machine, "demo").exporting("one", Export.Table.NORMAL, 7);
        ExportFormat pointers = ExportFormat.old().with(Fields.POINTERS_2);
        String absolutes = read("-rW", module.exportFormat(pointers.with(Crcs.ABSOLUTE_32)));
        String relatives = read("-rW", module.exportFormat(pointers.with(Crcs.RELATIVE)));

        assertThat(absolutes).containsPattern("\\b" + word + "\\b[^_]*\\bone\\b");
        assertThat(absolutes).containsPattern("\\b" + absolute + "\\b.*__crc_one");
        assertThat(relatives).containsPattern("\\b" + relative + "\\b.*\\.rodata");
    }

    @Test
    void mips64RelocationsHaveOneTypeAndTwoEmptyOnes() throws IOException {
        String relocations =
                read("-rW", ModuleBuilder.minimal(Machine.MIPS64EL, "demo").exporting("one", Export.Table.NORMAL, 7));

        assertThat(relocations)
                .containsPattern("R_MIPS_64 .* one \\+ 0\\R +Type2: R_MIPS_NONE +\\R +Type3: R_MIPS_NONE")
                .containsPattern("R_MIPS_64 .* __kstrtab_one");
    }

    @Test
    void placeRelativeExportsNameTheirStringsInBothWays() throws IOException {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.X86_64, "demo")
                .exporting(new Export("first", Export.Table.GPL, 1, "SPACE"))
                .exporting(new Export("second", Export.Table.GPL, 2, "SPACE"));
        ExportFormat format = ExportFormat.current(Machine.X86_64);
        String named = read("-rW", module.exportFormat(format));
        String bySection = read("-rW", module.exportFormat(format.with(References.SECTION_SYMBOL)));

        assertThat(named)
                .containsPattern("0c .* R_X86_64_PC32 .* second \\+ 0")
                .containsPattern("10 .* R_X86_64_PC32 .* __kstrtab_second \\+ 0")
                .containsPattern("14 .* R_X86_64_PC32 .* __kstrtabns_second \\+ 0");
        assertThat(bySection)
                .containsPattern("04 .* R_X86_64_PC32 .* __ksymtab_strings \\+ 0")
                .containsPattern("08 .* R_X86_64_PC32 .* __ksymtab_strings \\+ 6")
                .containsPattern("10 .* R_X86_64_PC32 .* __ksymtab_strings \\+ c")
                .containsPattern("14 .* R_X86_64_PC32 .* __ksymtab_strings \\+ 6");
    }

    @Test
    void keepsAddendsInPlaceOnSomeMachines() throws IOException {
        byte[] file = ModuleBuilder.minimal(Machine.I386, "demo")
                .exportFormat(ExportFormat.current(Machine.I386).with(References.SECTION_SYMBOL))
                .exporting(new Export("first", Export.Table.NORMAL, 1, "SPACE"))
                .build();

        assertThat(hexDump("__ksymtab", file)).contains("00000000 00000000 06000000");
    }

    @Test
    void unresolvedCrcsAreWeakUndefinedSymbols() throws IOException {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.S390X, "demo")
                .exportFormat(ExportFormat.current(Machine.S390X).with(Crcs.RELATIVE))
                .exporting(new Export("one", Export.Table.NORMAL, null, null));

        assertThat(read("-sW", module)).containsPattern("NOTYPE +WEAK +DEFAULT +UND __crc_one");
        assertThat(module.spec().importsAsLoaded()).containsExactly(new ModuleSpec.Import("__crc_one", true));
    }

    @Test
    void sectionsAppearAsDescribed() throws IOException {
        String sections = read(
                "-SW",
                ModuleBuilder.typical(Machine.X86_64, "demo")
                        .thisModule(Presence.NOBITS)
                        .structSize(0x123)
                        .modInfo(Presence.TWICE)
                        .versions(Presence.NOT_ALLOCATED)
                        .oddities(Oddities.NONE
                                .andBtf()
                                .andBtfBase()
                                .andWritableCode()
                                .andBuildId("0badcafe")));

        assertThat(sections)
                .containsPattern("\\.gnu\\.linkonce\\.this_module +NOBITS .* 000123 00 +WA ")
                .containsPattern("(?s)\\.modinfo .* A .*\\.modinfo .* A ")
                .containsPattern("__versions +PROGBITS +0+ [0-9a-f]+ 000040 00 +0 ")
                .containsPattern("\\.wx +PROGBITS .* WAX ")
                .contains(" .BTF ", " .BTF.base ");
    }

    @Test
    void theBuildIdIsANoteThatReadelfKnows() throws IOException {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.S390X, "demo")
                .oddities(Oddities.NONE.andBuildId("00112233445566778899aabbccddeeff00112233"));

        assertThat(read("-nW", module)).contains("Build ID: 00112233445566778899aabbccddeeff00112233");
    }

    @Test
    void writesMoreSectionsThanASignedShortCounts() throws IOException {
        ModuleBuilder module =
                ModuleBuilder.typical(Machine.X86_64, "demo").oddities(Oddities.NONE.andEmptySections(33_000));

        int others = 9; // null .text .modinfo __versions this_module .rela .symtab .strtab .shstrtab
        assertThat(read("-hW", module)).containsPattern("Number of section headers: +" + (33_000 + others) + "\\R");
        assertThat(read("-sW", module)).containsPattern("FUNC +GLOBAL +DEFAULT 33001 init_module");
    }

    @Test
    void definesExtraSymbolsByTheirKind() throws IOException {
        String symbols = read(
                "-sW",
                ModuleBuilder.minimal(Machine.ARM, "demo")
                        .symbol("defined", ExtraSymbol.Kind.DEFINED)
                        .symbol("hidden", ExtraSymbol.Kind.LOCAL)
                        .symbol("common", ExtraSymbol.Kind.COMMON)
                        .symbol("absolute", ExtraSymbol.Kind.ABSOLUTE));

        assertThat(symbols)
                .containsPattern("FUNC +GLOBAL +DEFAULT +1 defined")
                .containsPattern("LOCAL +DEFAULT +1 hidden")
                .containsPattern("GLOBAL +DEFAULT +COM common")
                .containsPattern("GLOBAL +DEFAULT +ABS absolute");
    }

    @Test
    void textRelocationsHaveTheirTypesAndTargets() throws IOException {
        ModuleBuilder module = ModuleBuilder.minimal(Machine.X86_64, "demo")
                .importing("printk", false)
                .textRelocation(4, 0)
                .textRelocation(42, 0x1122334455667788L);

        assertThat(read("-rW", module))
                .containsPattern("0020 .* R_X86_64_PLT32 .* printk")
                .containsPattern("0028 .* R_X86_64_REX_GOTPCRELX .* printk");
        assertThat(hexDump(".text", module.build())).contains("88776655 44332211");
        assertThat(module.spec().relocationTypes()).containsExactly(1, 4, 42);
    }

    private String read(String options, ModuleBuilder module) throws IOException {
        return readelf.run(options, write(module.build()));
    }

    private String hexDump(String section, byte[] file) throws IOException {
        return readelf.run("-W", "-x", section, write(file));
    }

    private String write(byte[] file) throws IOException {
        return Files.write(directory.resolve("demo.ko"), file).toString();
    }
}
