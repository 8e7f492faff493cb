package dev.weaklink.format.elf;

import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.fornwall.jelf.BackingFile;
import net.fornwall.jelf.ElfException;
import net.fornwall.jelf.ElfFile;
import net.fornwall.jelf.ElfSectionHeader;

/**
 * The section headers of an ELF file, with unsigned fields as ELF defines them.
 *
 * <p>jelf decodes a copy of the headers in which it can do no harm. The copy contains only a valid ELF header and the
 * table, so that jelf never follows a length or an offset of the file. Every type is masked, so that jelf never builds
 * symbols, relocations or notes, as it would do for each section that it reads. A table with more entries than jelf's
 * signed 16-bit count can hold is decoded in parts.
 */
public final class SectionTable {
    public static final int SHT_NULL = 0;
    public static final int SHT_SYMTAB = 2;
    public static final int SHT_STRTAB = 3;
    public static final int SHT_RELA = 4;
    public static final int SHT_NOTE = 7;
    public static final int SHT_NOBITS = 8;
    public static final int SHT_REL = 9;
    public static final long SHF_WRITE = 1;
    public static final long SHF_ALLOC = 2;
    public static final long SHF_EXECINSTR = 4;
    public static final long SHF_STRINGS = 0x20;
    public static final long SHF_COMPRESSED = 0x800;

    static final int ENTRY_SIZE_32 = 40;
    static final int ENTRY_SIZE_64 = 64;
    private static final int TYPE_AT = 4;
    private static final int PART = 0x4000;

    private final int[] names;
    private final int[] types;
    private final long[] flags;
    private final long[] addresses;
    private final long[] offsets;
    private final long[] sizes;
    private final int[] links;
    private final int[] infos;
    private final long[] alignments;

    private SectionTable(int count) {
        names = new int[count];
        types = new int[count];
        flags = new long[count];
        addresses = new long[count];
        offsets = new long[count];
        sizes = new long[count];
        links = new int[count];
        infos = new int[count];
        alignments = new long[count];
    }

    static SectionTable read(byte[] data, int length, ElfHeader header) throws UnreadableException {
        int entrySize = header.properSectionEntrySize();
        int count = header.sectionCount();
        long start = header.sectionTableOffset();
        if (header.sectionEntrySize() != entrySize) {
            throw new UnreadableException("section headers of " + header.sectionEntrySize() + " bytes");
        }
        if (start < 0 || start > length || (long) count * entrySize > length - start) {
            throw new UnreadableException("section header table outside the file");
        }
        SectionTable table = new SectionTable(count);
        for (int first = 0; first < count; first += PART) {
            table.readPart(data, (int) start, header.identity(), first, Math.min(PART, count - first));
        }
        return table;
    }

    private void readPart(byte[] data, int start, ElfIdentity identity, int first, int count)
            throws UnreadableException {
        int entrySize = identity.is64() ? ENTRY_SIZE_64 : ENTRY_SIZE_32;
        BareTable bare = new BareTable(data, start + first * entrySize, identity, count, entrySize);
        long mask = identity.is64() ? -1L : 0xffffffffL;
        try {
            ElfFile file = ElfFile.from(bare);
            for (int i = 0; i < count; i++) {
                ElfSectionHeader section = file.getSection(i).header;
                int to = first + i;
                names[to] = section.sh_name;
                types[to] = bare.originalType(i);
                flags[to] = section.sh_flags & mask;
                addresses[to] = section.sh_addr & mask;
                offsets[to] = section.sh_offset & mask;
                sizes[to] = section.sh_size & mask;
                links[to] = section.sh_link;
                infos[to] = section.sh_info;
                alignments[to] = section.sh_addralign & mask;
            }
        } catch (ElfException e) {
            throw new UnreadableException("section header table: " + e.getMessage(), e);
        }
    }

    public int count() {
        return types.length;
    }

    /** Returns sh_name as an unsigned 32-bit number. */
    public long nameOffset(int index) {
        return names[index] & 0xffffffffL;
    }

    public int type(int index) {
        return types[index];
    }

    public long flags(int index) {
        return flags[index];
    }

    public boolean isAllocated(int index) {
        return (flags[index] & SHF_ALLOC) != 0;
    }

    public long address(int index) {
        return addresses[index];
    }

    /** Returns sh_offset, not checked against the file. */
    public long offset(int index) {
        return offsets[index];
    }

    /** Returns sh_size, not checked against the file. */
    public long size(int index) {
        return sizes[index];
    }

    public int link(int index) {
        return links[index];
    }

    public int info(int index) {
        return infos[index];
    }

    public long alignment(int index) {
        return alignments[index];
    }

    /** Returns the offset of sh_type inside a section header, which is the same for both classes. */
    static int typeAt() {
        return TYPE_AT;
    }

    /**
     * The view of a file that jelf reads: a valid ELF header, and a copy of some section headers whose types are all
     * PROGBITS.
     */
    private static final class BareTable implements BackingFile {
        private static final int HEADER_SIZE = ElfHeader.SIZE_64;

        private final byte[] bytes;
        private final int[] types;
        private int position;

        BareTable(byte[] data, int start, ElfIdentity identity, int count, int entrySize) {
            bytes = new byte[HEADER_SIZE + count * entrySize];
            types = new int[count];
            System.arraycopy(data, start, bytes, HEADER_SIZE, count * entrySize);
            ByteBuffer buffer = ByteBuffer.wrap(bytes)
                    .order(identity.littleEndian() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
            writeHeader(buffer, identity, count, entrySize);
            maskTypes(buffer, entrySize);
        }

        private static void writeHeader(ByteBuffer buffer, ElfIdentity identity, int count, int entrySize) {
            buffer.put(0, new byte[] {0x7f, 'E', 'L', 'F'});
            buffer.put(4, identity.is64() ? ElfFile.CLASS_64 : ElfFile.CLASS_32);
            buffer.put(5, identity.littleEndian() ? ElfFile.DATA_LSB : ElfFile.DATA_MSB);
            buffer.put(6, (byte) 1);
            if (identity.is64()) {
                buffer.putLong(40, HEADER_SIZE);
            } else {
                buffer.putInt(32, HEADER_SIZE);
            }
            int counts = identity.is64() ? 58 : 46;
            buffer.putShort(counts, (short) entrySize);
            buffer.putShort(counts + 2, (short) count);
        }

        private void maskTypes(ByteBuffer buffer, int entrySize) {
            for (int i = 0; i < types.length; i++) {
                int at = HEADER_SIZE + i * entrySize + SectionTable.typeAt();
                types[i] = buffer.getInt(at);
                buffer.putInt(at, ElfSectionHeader.SHT_PROGBITS);
            }
        }

        int originalType(int index) {
            return types[index];
        }

        @Override
        public void seek(long offset) {
            position = Math.toIntExact(offset);
        }

        @Override
        public void skip(int count) {
            position = Math.addExact(position, count);
        }

        @Override
        public short readUnsignedByte() {
            return (short) (bytes[position++] & 0xff);
        }

        @Override
        public int read(byte[] target) {
            int count = Math.min(target.length, bytes.length - position);
            System.arraycopy(bytes, position, target, 0, count);
            position += count;
            return count;
        }
    }
}
