package dev.weaklink.format.elf;

import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The section headers of an ELF file. The values may be invalid, such as offsets outside the file. */
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

    private final int[] names;
    private final int[] types;
    private final long[] flags;
    private final long[] addresses;
    private final long[] offsets;
    private final long[] sizes;
    private final int[] links;
    private final int[] infos;
    private final long[] alignments;
    private final long[] entrySizes;

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
        entrySizes = new long[count];
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
        ByteBuffer buffer = ByteBuffer.wrap(data, (int) start, count * entrySize)
                .slice()
                .order(header.identity().littleEndian() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        SectionTable table = new SectionTable(count);
        for (int i = 0; i < count; i++) {
            if (header.identity().is64()) {
                table.decode64(i, buffer, i * ENTRY_SIZE_64);
            } else {
                table.decode32(i, buffer, i * ENTRY_SIZE_32);
            }
        }
        return table;
    }

    private void decode64(int index, ByteBuffer buffer, int at) {
        names[index] = buffer.getInt(at);
        types[index] = buffer.getInt(at + 4);
        flags[index] = buffer.getLong(at + 8);
        addresses[index] = buffer.getLong(at + 16);
        offsets[index] = buffer.getLong(at + 24);
        sizes[index] = buffer.getLong(at + 32);
        links[index] = buffer.getInt(at + 40);
        infos[index] = buffer.getInt(at + 44);
        alignments[index] = buffer.getLong(at + 48);
        entrySizes[index] = buffer.getLong(at + 56);
    }

    private void decode32(int index, ByteBuffer buffer, int at) {
        names[index] = buffer.getInt(at);
        types[index] = buffer.getInt(at + 4);
        flags[index] = Integer.toUnsignedLong(buffer.getInt(at + 8));
        addresses[index] = Integer.toUnsignedLong(buffer.getInt(at + 12));
        offsets[index] = Integer.toUnsignedLong(buffer.getInt(at + 16));
        sizes[index] = Integer.toUnsignedLong(buffer.getInt(at + 20));
        links[index] = buffer.getInt(at + 24);
        infos[index] = buffer.getInt(at + 28);
        alignments[index] = Integer.toUnsignedLong(buffer.getInt(at + 32));
        entrySizes[index] = Integer.toUnsignedLong(buffer.getInt(at + 36));
    }

    public int count() {
        return types.length;
    }

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

    /** Returns sh_offset, which may be outside the file. */
    public long offset(int index) {
        return offsets[index];
    }

    /** Returns sh_size, which may exceed the file. */
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

    /** Returns sh_entsize, the size in bytes that the file claims for an entry of a table. */
    public long entrySize(int index) {
        return entrySizes[index];
    }
}
