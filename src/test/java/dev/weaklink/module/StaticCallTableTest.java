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
 * Expects the answers of booted kernels for an entry without a valid key: 6.1 and 7.3 refuse the module (EINVAL), 6.12
 * crashes.
 */
class StaticCallTableTest {
    @ParameterizedTest
    @CsvSource({
        "X86_64, __SCK__might_resched, true",
        "X86_64, __SCT__might_resched, true",
        "X86_64, printk, false",
        "X86_64, '', false",
        "AARCH64, printk, true",
    })
    void acceptsKeysAndTrampolinesOfStaticCalls(Machine machine, String key, boolean sound) {
        ElfWriter elf = new ElfWriter(machine);
        ElfSection text =
                elf.section(".text", ElfSection.SHT_PROGBITS, ElfSection.SHF_ALLOC | ElfSection.SHF_EXECINSTR, 4);
        text.content().zeros(16);
        ElfSymbol code = elf.sectionSymbol(text);
        ElfSymbol called = key.isEmpty() ? code : elf.symbol(ElfSymbol.undefined(key, false));
        ElfSection table = elf.section(".static_call_sites", ElfSection.SHT_PROGBITS, ElfSection.SHF_ALLOC, 4);
        table.content().zeros(8);
        table.relocate(0, Relocation.Kind.RELATIVE_32, code, 4);
        table.relocate(4, Relocation.Kind.RELATIVE_32, called, 1);
        byte[] file = elf.toBytes();

        assertThat(ModuleReader.read(Origin.file("m.ko"), file, file.length).defects())
                .filteredOn(defect -> defect.kind() == ElfDefectKind.STATIC_CALL_KEY)
                .hasSize(sound ? 0 : 1);
    }
}
