package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.ElfDefect.ElfDefectKind;
import dev.weaklink.testing.ElfSection;
import dev.weaklink.testing.ElfSymbol;
import dev.weaklink.testing.ElfWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.Relocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Expects the answers of a booted 7.2.13: EINVAL for other instructions, a crash for most addresses outside the module.
 */
class StackProtectorTableTest {
    private static final int LARL = 0xc010;
    private static final int LGRL = 0xc4f8;

    @ParameterizedTest
    @CsvSource({
        "S390X, 0, 6, true",
        "S390X, 6, 0, true",
        "S390X, 2, 0, false",
        "S390X, 0, 12, false",
        "S390X, 7, 0, false",
        "S390X, -1, 0, false",
        "S390X, 9223372036854775807, 0, false",
        "X86_64, 2, 0, true",
    })
    void locations(Machine machine, long first, long second, boolean sound) {
        ElfWriter elf = new ElfWriter(machine);
        ElfSection text =
                elf.section(".text", ElfSection.SHT_PROGBITS, ElfSection.SHF_ALLOC | ElfSection.SHF_EXECINSTR, 2);
        text.content().u16(LARL).zeros(4).u16(LGRL).zeros(4);
        ElfSymbol code = elf.sectionSymbol(text);
        ElfSection table = elf.section("__stack_protector_loc", ElfSection.SHT_PROGBITS, ElfSection.SHF_ALLOC, 1);
        table.content().zeros(16);
        table.relocate(0, Relocation.Kind.WORD, code, first);
        table.relocate(8, Relocation.Kind.WORD, code, second);
        byte[] file = elf.toBytes();

        assertThat(ModuleReader.read(Origin.file("m.ko"), file, file.length).defects())
                .filteredOn(defect -> defect.kind() == ElfDefectKind.STACK_PROTECTOR_LOCATION)
                .hasSize(sound ? 0 : 1);
    }
}
