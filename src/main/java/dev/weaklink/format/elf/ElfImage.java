package dev.weaklink.format.elf;

import dev.weaklink.sys.UnreadableException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The bytes of one ELF file with its header and section table decoded. An instance reads the caller's array, and is
 * valid only while the array does not change. Reading a number beyond the file's length throws
 * {@link IndexOutOfBoundsException}.
 */
public final class ElfImage {
    private final byte[] data;
    private final int length;
    private final ByteBuffer buffer;
    private final ElfHeader header;
    private final SectionTable sections;

    private ElfImage(byte[] data, int length, ElfHeader header, SectionTable sections) {
        this.data = data;
        this.length = length;
        this.header = header;
        this.sections = sections;
        this.buffer = ByteBuffer.wrap(data, 0, length)
                .order(header.identity().littleEndian() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    }

    /**
     * Decodes the section table that {@code header} announces.
     *
     * @param data the file, which may be longer than the ELF part
     * @param length the number of bytes of {@code data} that belong to the ELF part
     * @throws UnreadableException if the table is not inside the file, or if the size of its entries does not fit the
     *     ELF class
     */
    public static ElfImage open(byte[] data, int length, ElfHeader header) throws UnreadableException {
        return new ElfImage(data, length, header, SectionTable.read(data, length, header));
    }

    public ElfHeader header() {
        return header;
    }

    public ElfIdentity identity() {
        return header.identity();
    }

    public SectionTable sections() {
        return sections;
    }

    /** Returns the array that contains the file; only the first {@link #length()} bytes belong to the file. */
    public byte[] data() {
        return data;
    }

    public int length() {
        return length;
    }

    /** Returns whether the range of {@code size} bytes at {@code offset} is inside the file. */
    public boolean contains(long offset, long size) {
        return offset >= 0 && size >= 0 && offset <= length && size <= length - offset;
    }

    /** Returns whether a section has contents that are inside the file. NOBITS sections have no contents. */
    public boolean hasContents(int index) {
        return sections.type(index) != SectionTable.SHT_NOBITS
                && contains(sections.offset(index), sections.size(index));
    }

    public int u8(int offset) {
        return buffer.get(offset) & 0xff;
    }

    public int u16(int offset) {
        return buffer.getShort(offset) & 0xffff;
    }

    public int i32(int offset) {
        return buffer.getInt(offset);
    }

    public long u32(int offset) {
        return buffer.getInt(offset) & 0xffffffffL;
    }

    public long u64(int offset) {
        return buffer.getLong(offset);
    }

    /** Reads an {@code unsigned long} of the file's class, widened to 64 bits. */
    public long word(int offset) {
        return identity().is64() ? u64(offset) : u32(offset);
    }

    /**
     * Returns the length of the NUL-terminated string at {@code offset}, or -1 if the NUL is not before {@code limit}.
     */
    public int stringLength(int offset, int limit) {
        for (int at = offset; at < limit; at++) {
            if (data[at] == 0) {
                return at - offset;
            }
        }
        return -1;
    }
}
