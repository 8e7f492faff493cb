package dev.weaklink.kernel.image;

import dev.weaklink.format.elf.ElfIdentity;
import java.util.ArrayList;
import java.util.List;

/** Maps kernel virtual addresses to offsets in a kernel image. */
final class Addresses {
    private static final int PT_LOAD = 1;
    private static final int MAX_SEGMENTS = 1024;
    private static final int NOT_MAPPED = -1;

    /**
     * A run of bytes that is contiguous both in the image and in memory.
     *
     * @param address the address of the first byte, unsigned
     */
    private record AddressRange(long address, long offset, long length) {}

    private final List<AddressRange> segments;

    private Addresses(List<AddressRange> segments) {
        this.segments = segments;
    }

    /** Returns the mapping of a raw image, whose first byte is at the address {@code base}. */
    static Addresses linear(long base, int length) {
        return new Addresses(List.of(new AddressRange(base, 0, length)));
    }

    /**
     * Returns the mapping of an ELF file's loaded segments; segments that are not completely in the file are ignored.
     */
    static Addresses ofElf(ByteView file, ElfIdentity identity) {
        boolean is64 = identity.is64();
        int word = identity.wordSize();
        long table = file.word(is64 ? 32 : 28, word);
        int size = u16(file, is64 ? 54 : 42);
        int count = Math.min(u16(file, is64 ? 56 : 44), MAX_SEGMENTS);
        List<AddressRange> segments = new ArrayList<>();
        if (size == (is64 ? 56 : 32) && file.contains(table, (long) count * size)) {
            for (int i = 0; i < count; i++) {
                int at = (int) table + i * size;
                long offset = file.word(at + (is64 ? 8 : 4), word);
                long length = file.word(at + (is64 ? 32 : 16), word);
                if (file.u32(at) == PT_LOAD && length > 0 && file.contains(offset, length)) {
                    segments.add(new AddressRange(file.word(at + (is64 ? 16 : 8), word), offset, length));
                }
            }
        }
        return new Addresses(segments);
    }

    private static int u16(ByteView file, int offset) {
        int both = file.i32(offset);
        return file.littleEndian() ? both & 0xffff : both >>> 16;
    }

    /** Returns the offset in the image of the byte at an address, -1 if no segment contains the address. */
    int offset(long address) {
        for (AddressRange segment : segments) {
            long inside = address - segment.address();
            if (inside >= 0 && inside < segment.length()) {
                return (int) (segment.offset() + inside);
            }
        }
        return NOT_MAPPED;
    }

    /** Returns the address of a byte of the image; 0 if no segment contains the byte. */
    long address(int offset) {
        for (AddressRange segment : segments) {
            long inside = offset - segment.offset();
            if (inside >= 0 && inside < segment.length()) {
                return segment.address() + inside;
            }
        }
        return 0;
    }
}
