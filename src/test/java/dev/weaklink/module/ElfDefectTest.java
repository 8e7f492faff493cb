package dev.weaklink.module;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.module.ElfDefect.ElfDefectKind;
import dev.weaklink.module.ElfFields.Header;
import dev.weaklink.module.ElfFields.Section;
import dev.weaklink.testing.ElfSection;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Presence;
import dev.weaklink.testing.Oddities;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * An example for each defect. The comments name the kernel function with the check (in kernel/module/main.c of 6.x
 * unless stated; in kernel/module.c before 5.19).
 */
class ElfDefectTest {
    private static final Machine MACHINE = Machine.X86_64;

    /** Tests copy_module_from_user: an empty file. */
    @Test
    void reportsAnEmptyFile() {
        assertThat(defects(new byte[0])).containsExactly(ElfDefect.of(ElfDefectKind.EMPTY_FILE));
    }

    /** Tests elf_validity_ehdr: len &lt; sizeof(Elf_Ehdr). */
    @Test
    void reportsFewerBytesThanAHeader() {
        byte[] module = typical().build();

        assertThat(defects(Arrays.copyOf(module, 63))).containsExactly(ElfDefect.of(ElfDefectKind.SHORT_HEADER, 63, 0));
        assertThat(defects(new byte[] {1})).containsExactly(ElfDefect.of(ElfDefectKind.SHORT_HEADER, 1, 0));
    }

    /** Tests elf_validity_ehdr: a 32-bit header has 52 bytes. */
    @Test
    void reportsFewerBytesThanAHeaderOf32Bits() {
        byte[] module = ModuleBuilder.typical(Machine.ARM, "m").build();

        assertThat(defects(Arrays.copyOf(module, 51))).containsExactly(ElfDefect.of(ElfDefectKind.SHORT_HEADER, 51, 0));
        assertThat(defects(Arrays.copyOf(module, 52)))
                .containsExactly(ElfDefect.of(ElfDefectKind.SECTION_TABLE_OUTSIDE));
    }

    /** Tests elf_validity_ehdr: memcmp(e_ident, ELFMAG, SELFMAG). */
    @Test
    void reportsAMissingElfMagic() {
        byte[] module = typical().build();
        module[1] = 'e';

        assertThat(defects(module)).containsExactly(ElfDefect.of(ElfDefectKind.BAD_MAGIC));
    }

    /** Tests elf_validity_ehdr: e_type != ET_REL. */
    @Test
    void reportsAFileThatIsNotRelocatable() {
        assertThat(defects(elf().set(Header.TYPE, 3))).containsExactly(ElfDefect.of(ElfDefectKind.BAD_TYPE, 3, 0));
    }

    /** Tests elf_validity_ehdr: e_shentsize != sizeof(Elf_Shdr). */
    @Test
    void reportsSectionHeadersOfAnotherSize() {
        assertThat(defects(elf().set(Header.SHENTSIZE, 40))).containsExactly(ElfDefect.of(ElfDefectKind.BAD_SHENTSIZE));
    }

    /** Tests elf_validity_ehdr: e_shoff &gt;= len, and a table that extends beyond the end. */
    @Test
    void reportsSectionHeadersOutsideTheFile() {
        ElfFields whole = elf();
        int length = whole.bytes().length;

        for (long start : new long[] {length, length + 1, -1, Long.MIN_VALUE, length - 64}) {
            assertThat(defects(elf().set(Header.SHOFF, start)))
                    .as("e_shoff %d", start)
                    .containsExactly(ElfDefect.of(ElfDefectKind.SECTION_TABLE_OUTSIDE));
        }
        assertThat(defects(elf().set(Header.SHNUM, whole.get(Header.SHNUM) + 1)))
                .containsExactly(ElfDefect.of(ElfDefectKind.SECTION_TABLE_OUTSIDE));
    }

    /** Tests elf_validity_cache_secstrings: e_shstrndx is SHN_UNDEF or not below e_shnum. */
    @Test
    void reportsAMissingSectionNameTable() {
        long count = elf().get(Header.SHNUM);

        assertThat(defects(elf().set(Header.SHSTRNDX, 0)))
                .containsExactly(ElfDefect.of(ElfDefectKind.BAD_SHSTRNDX, 0, count));
        assertThat(defects(elf().set(Header.SHSTRNDX, count)))
                .containsExactly(ElfDefect.of(ElfDefectKind.BAD_SHSTRNDX, count, count));
    }

    /** Tests validate_section_offset of a section with contents. */
    @Test
    void reportsASectionBehindTheEndOfTheFile() {
        ElfFields elf = elf();
        int text = elf.section(".text");
        long room = elf.bytes().length - elf.offset(text);

        assertThat(defects(elf.set(text, Section.SIZE, room))).isEmpty();
        assertThat(defects(elf.set(text, Section.SIZE, room + 1))).containsExactly(outside(text));
        assertThat(defects(elf.set(text, Section.SIZE, -1))).containsExactly(outside(text));
        assertThat(defects(elf.set(text, Section.SIZE, 1).set(text, Section.OFFSET, Long.MAX_VALUE)))
                .containsExactly(outside(text));
    }

    /** Tests SHT_NOBITS, for which the loader does not call validate_section_offset. */
    @Test
    void acceptsASectionWithoutContentsAnywhere() {
        ElfFields elf = elf();
        int text = elf.section(".text");

        assertThat(defects(elf.set(text, Section.TYPE, ElfSection.SHT_NOBITS)
                        .set(text, Section.OFFSET, 1L << 40)
                        .set(text, Section.SIZE, 1L << 40)))
                .isEmpty();
    }

    /** Tests elf_validity_cache_secstrings: validate_section_offset of the name table itself. */
    @Test
    void reportsASectionNameTableOutsideTheFile() {
        ElfFields elf = elf();
        int names = (int) elf.get(Header.SHSTRNDX);

        assertThat(defects(elf.set(names, Section.OFFSET, elf.bytes().length)))
                .containsExactly(
                        ElfDefect.of(ElfDefectKind.NAME_TABLE_OUTSIDE, 3, 0),
                        new ElfDefect(ElfDefectKind.SECTION_OUTSIDE, names, 3, Integer.toString(elf.bytes().length)));
    }

    /** Tests elf_validity_cache_secstrings: sh_size == 0. */
    @Test
    void reportsAnEmptySectionNameTable() {
        ElfFields elf = elf();

        assertThat(defects(elf.set((int) elf.get(Header.SHSTRNDX), Section.SIZE, 0)))
                .containsExactly(ElfDefect.of(ElfDefectKind.EMPTY_NAME_TABLE));
    }

    /** Tests elf_validity_cache_secstrings: the last byte is not NUL. */
    @Test
    void reportsAnUnterminatedSectionNameTable() {
        ElfFields elf = elf();
        int names = (int) elf.get(Header.SHSTRNDX);

        assertThat(defects(elf.set(names, Section.SIZE, elf.get(names, Section.SIZE) - 1)))
                .containsExactly(ElfDefect.of(ElfDefectKind.NAME_TABLE_UNTERMINATED));
    }

    /** Tests elf_validity_cache_sechdrs: only sh_type, sh_size and sh_addr of section 0. */
    @Test
    void reportsAUsedSectionZero() {
        assertThat(defects(elf().set(0, Section.TYPE, 1)))
                .containsExactly(ElfDefect.of(ElfDefectKind.SECTION_ZERO_NOT_NULL, 1, 0));
        assertThat(defects(elf().set(0, Section.SIZE, 1)))
                .containsExactly(ElfDefect.of(ElfDefectKind.SECTION_ZERO_NOT_NULL));
        assertThat(defects(elf().set(0, Section.ADDRESS, 1)))
                .containsExactly(ElfDefect.of(ElfDefectKind.SECTION_ZERO_NOT_NULL));
        assertThat(defects(elf().set(0, Section.FLAGS, ElfSection.SHF_ALLOC).set(0, Section.LINK, 1)))
                .isEmpty();
    }

    /** Tests elf_validity_cache_sechdrs: sh_link of SHT_SYMTAB. */
    @Test
    void reportsASymbolTableWithoutStrings() {
        long count = elf().get(Header.SHNUM);

        assertThat(defects(
                        typical().oddities(Oddities.NONE.andSymbolTableLink(99)).build()))
                .containsExactly(ElfDefect.of(ElfDefectKind.BAD_SYMTAB_LINK, 99, count));
        assertThat(defects(
                        typical().oddities(Oddities.NONE.andSymbolTableLink(0)).build()))
                .containsExactly(ElfDefect.of(ElfDefectKind.BAD_SYMTAB_LINK, 0, count));
    }

    /** Tests elf_validity_cache_sechdrs: sh_name. Loaders up to 6.12 check only loaded sections. */
    @Test
    void reportsASectionNameOutsideTheNameTable() {
        ElfFields elf = elf();
        int text = elf.section(".text");
        int strings = elf.section(".strtab");
        long size = elf.get((int) elf.get(Header.SHSTRNDX), Section.SIZE);

        assertThat(defects(elf.set(text, Section.NAME, size).set(strings, Section.NAME, 0xffffffffL)))
                .containsExactly(
                        new ElfDefect(ElfDefectKind.SECTION_NAME_OUTSIDE, text, 1, "allocated"),
                        new ElfDefect(ElfDefectKind.SECTION_NAME_OUTSIDE, strings, 3, ""));
    }

    /** Tests elf_validity_cache_secstrings (6.13+), which also checks sections without contents. */
    @Test
    void reportsTheNameOfASectionWithoutContents() {
        ElfFields elf = elf();
        int text = elf.section(".text");

        assertThat(defects(elf.set(text, Section.TYPE, ElfSection.SHT_NOBITS).set(text, Section.NAME, 0xffffffffL)))
                .contains(new ElfDefect(ElfDefectKind.SECTION_NAME_OUTSIDE, text, 8, "allocated"));
    }

    @Test
    void everythingIsReportedInTheLoadersOrder() {
        ElfFields elf = new ElfFields(
                MACHINE,
                typical()
                        .thisModule(Presence.TWICE)
                        .modInfo(Presence.TWICE)
                        .oddities(Oddities.NONE.andWritableCode())
                        .build());
        elf.set(Header.TYPE, 2).set(0, Section.SIZE, 1);

        assertThat(defects(elf))
                .extracting(ElfDefect::kind)
                .containsExactly(
                        ElfDefectKind.BAD_TYPE,
                        ElfDefectKind.SECTION_ZERO_NOT_NULL,
                        ElfDefectKind.SEVERAL_MODINFO,
                        ElfDefectKind.SEVERAL_THIS_MODULE,
                        ElfDefectKind.WRITABLE_AND_EXECUTABLE,
                        ElfDefectKind.SECTION_NAME_TWICE);
    }

    private static ElfDefect outside(int section) {
        return new ElfDefect(ElfDefectKind.SECTION_OUTSIDE, section, 1, Integer.toString(elf().bytes().length));
    }

    private static ModuleBuilder typical() {
        return ModuleBuilder.typical(MACHINE, "m");
    }

    private static ElfFields elf() {
        return new ElfFields(MACHINE, typical().build());
    }

    private static List<ElfDefect> defects(ElfFields elf) {
        return defects(elf.bytes());
    }

    private static List<ElfDefect> defects(byte[] bytes) {
        return read(bytes).defects();
    }

    private static KernelModule read(byte[] bytes) {
        return ModuleReader.read(Origin.file("m.ko"), bytes, bytes.length);
    }
}
