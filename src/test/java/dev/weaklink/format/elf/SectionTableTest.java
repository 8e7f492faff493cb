package dev.weaklink.format.elf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.testing.ElfSection;
import dev.weaklink.testing.ElfWriter;
import dev.weaklink.testing.Machine;
import java.nio.ByteOrder;
import java.util.Arrays;
import net.fornwall.jelf.ElfFile;
import net.fornwall.jelf.ElfSectionHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Headers and section headers of every class and byte order. */
class SectionTableTest {
    @ParameterizedTest
    @EnumSource(Machine.class)
    void readsEveryFieldOfASectionHeader(Machine machine) throws UnreadableException {
        ElfWriter writer = new ElfWriter(machine);
        ElfSection odd = writer.section("odd", 0x7ffffff5, 0x90000007L, 1);
        odd.header(0xfffffffeL, 0xfffffffdL, 0).content().zeros(5);
        byte[] file = writer.toBytes();

        ElfImage image = open(file);
        SectionTable sections = image.sections();

        assertThat(sections.count()).isEqualTo(5);
        assertThat(sections.type(1)).isEqualTo(0x7ffffff5);
        assertThat(sections.flags(1)).isEqualTo(0x90000007L);
        assertThat(sections.isAllocated(1)).isTrue();
        assertThat(sections.link(1)).isEqualTo(-2);
        assertThat(sections.info(1)).isEqualTo(-3);
        assertThat(sections.size(1)).isEqualTo(5);
        assertThat(sections.offset(1)).isEqualTo(machine.is64() ? 64 : 52);
        assertThat(sections.address(1)).isZero();
        assertThat(sections.type(2)).isEqualTo(SectionTable.SHT_SYMTAB);
        assertThat(sections.isAllocated(2)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void decodesSectionHeadersAsJelfDoes(Machine machine) throws UnreadableException {
        ElfWriter writer = new ElfWriter(machine);
        for (int i = 0; i < 20; i++) {
            writer.section("s" + i, 1, 0x11L * i, 1 << i % 5).content().zeros(3 * i);
        }
        byte[] file = writer.toBytes();

        SectionTable sections = open(file).sections();
        ElfFile expected = ElfFile.from(file);

        assertThat(sections.count()).isEqualTo(expected.e_shnum);
        long mask = machine.is64() ? -1L : 0xffffffffL;
        for (int i = 1; i < sections.count(); i++) {
            ElfSectionHeader header = expected.getSection(i).header;
            assertThat(sections.nameOffset(i)).isEqualTo(header.sh_name);
            assertThat(sections.type(i)).isEqualTo(header.sh_type);
            assertThat(sections.flags(i)).isEqualTo(header.sh_flags & mask);
            assertThat(sections.address(i)).isEqualTo(header.sh_addr & mask);
            assertThat(sections.offset(i)).isEqualTo(header.sh_offset & mask);
            assertThat(sections.size(i)).isEqualTo(header.sh_size & mask);
            assertThat(sections.link(i)).isEqualTo(header.sh_link);
            assertThat(sections.info(i)).isEqualTo(header.sh_info);
            assertThat(sections.alignment(i)).isEqualTo(header.sh_addralign & mask);
            assertThat(sections.entrySize(i)).isEqualTo(header.sh_entsize & mask);
        }
    }

    @ParameterizedTest
    @EnumSource(Machine.class)
    void headerFields(Machine machine) {
        byte[] file = new ElfWriter(machine).toBytes();

        ElfHeader header = ElfHeader.read(file, file.length);

        assertThat(header).isNotNull();
        assertThat(header.identity())
                .isEqualTo(new ElfIdentity(
                        machine.number(), machine.is64(), machine.order() == ByteOrder.LITTLE_ENDIAN, machine.flags()));
        assertThat(header.type()).isEqualTo(ElfHeader.ET_REL);
        assertThat(header.sectionCount()).isEqualTo(4);
        assertThat(header.sectionNameIndex()).isEqualTo(3);
        assertThat(header.sectionEntrySize()).isEqualTo(header.properSectionEntrySize());
    }

    @ParameterizedTest
    @EnumSource(names = {"X86_64", "S390X", "ARM"})
    void readsMoreSectionsThanASignedShortCanCount(Machine machine) throws UnreadableException {
        ElfWriter writer = new ElfWriter(machine);
        for (int i = 0; i < 65_000; i++) {
            writer.section("s", 1, i % 7, 1);
        }

        SectionTable sections = open(writer.toBytes()).sections();

        assertThat(sections.count()).isEqualTo(65_004);
        for (int i = 1; i <= 65_000; i++) {
            assertThat(sections.flags(i)).isEqualTo((i - 1) % 7);
        }
        assertThat(sections.type(65_001)).isEqualTo(SectionTable.SHT_SYMTAB);
    }

    @Test
    void sizesAreUnsignedInBothClasses() throws UnreadableException {
        byte[] wide = new ElfWriter(Machine.X86_64).toBytes();
        int table = (int) ElfHeader.read(wide, wide.length).sectionTableOffset();
        Arrays.fill(wide, table + 64 + 32, table + 64 + 40, (byte) 0xff);
        byte[] narrow = new ElfWriter(Machine.ARM).toBytes();
        int narrowTable = (int) ElfHeader.read(narrow, narrow.length).sectionTableOffset();
        Arrays.fill(narrow, narrowTable + 40 + 16, narrowTable + 40 + 24, (byte) 0xff);

        assertThat(open(wide).sections().size(1)).isEqualTo(-1);
        assertThat(open(wide).hasContents(1)).isFalse();
        assertThat(open(narrow).sections().size(1)).isEqualTo(0xffffffffL);
        assertThat(open(narrow).sections().offset(1)).isEqualTo(0xffffffffL);
        assertThat(open(narrow).hasContents(1)).isFalse();
    }

    @Test
    void rangesAreCheckedWithoutOverflow() throws UnreadableException {
        byte[] file = new ElfWriter(Machine.X86_64).toBytes();
        ElfImage image = open(file);

        assertThat(image.contains(0, file.length)).isTrue();
        assertThat(image.contains(file.length, 0)).isTrue();
        assertThat(image.contains(0, file.length + 1L)).isFalse();
        assertThat(image.contains(1, file.length)).isFalse();
        assertThat(image.contains(-1, 1)).isFalse();
        assertThat(image.contains(1, -1)).isFalse();
        assertThat(image.contains(Long.MAX_VALUE, Long.MAX_VALUE)).isFalse();
        assertThat(image.contains(8, Long.MAX_VALUE - 4)).isFalse();
    }

    @Test
    void refusesAMissingTable() {
        byte[] file = new ElfWriter(Machine.X86_64).toBytes();
        ElfHeader header = ElfHeader.read(file, file.length);

        assertThat(header).isNotNull();
        assertThatThrownBy(() -> ElfImage.open(file, file.length - 1, header))
                .isInstanceOf(UnreadableException.class)
                .hasMessage("section header table outside the file");
        assertThatThrownBy(() -> ElfImage.open(
                        file, file.length, new ElfHeader(header.identity(), 1, header.sectionTableOffset(), 40, 4, 3)))
                .isInstanceOf(UnreadableException.class)
                .hasMessage("section headers of 40 bytes");
    }

    private static ElfImage open(byte[] file) throws UnreadableException {
        ElfHeader header = ElfHeader.read(file, file.length);
        assertThat(header).isNotNull();
        return ElfImage.open(file, file.length, header);
    }
}
