package dev.weaklink.module;

import dev.weaklink.testing.Machine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.OptionalInt;

/** Overwrites single fields of an ELF file. */
final class ElfFields {
    /** A field of the ELF header. */
    enum Header {
        CLASS(4, 4, 1),
        TYPE(16, 16, 2),
        MACHINE(18, 18, 2),
        SHOFF(40, 32, 0),
        SHENTSIZE(58, 46, 2),
        SHNUM(60, 48, 2),
        SHSTRNDX(62, 50, 2);

        private final int at64;
        private final int at32;
        private final int width;

        Header(int at64, int at32, int width) {
            this.at64 = at64;
            this.at32 = at32;
            this.width = width;
        }
    }

    /** A field of a section header. */
    enum Section {
        NAME(0, 0, 4),
        TYPE(4, 4, 4),
        FLAGS(8, 8, 0),
        ADDRESS(16, 12, 0),
        OFFSET(24, 16, 0),
        SIZE(32, 20, 0),
        LINK(40, 24, 4),
        INFO(44, 28, 4);

        private final int at64;
        private final int at32;
        private final int width;

        Section(int at64, int at32, int width) {
            this.at64 = at64;
            this.at32 = at32;
            this.width = width;
        }
    }

    private final Machine machine;
    private final byte[] bytes;

    /** Creates an editor that changes the bytes in place. */
    ElfFields(Machine machine, byte[] bytes) {
        this.machine = machine;
        this.bytes = bytes;
    }

    byte[] bytes() {
        return bytes;
    }

    ElfFields set(Header field, long value) {
        return put(machine.is64() ? field.at64 : field.at32, field.width, value);
    }

    long get(Header field) {
        return get(machine.is64() ? field.at64 : field.at32, field.width);
    }

    ElfFields set(int section, Section field, long value) {
        return put(at(section, field), field.width, value);
    }

    long get(int section, Section field) {
        return get(at(section, field), field.width);
    }

    /** Copies the offset and size of a section header, or everything except the name. */
    ElfFields copy(int source, int target, boolean whole) {
        Section first = whole ? Section.TYPE : Section.OFFSET;
        Section last = whole ? Section.INFO : Section.SIZE;
        int from = at(source, first);
        int to = at(target, first);
        int length = at(source, last) + (whole ? 4 : machine.wordSize()) - from;
        System.arraycopy(bytes, from, bytes, to, length);
        return this;
    }

    /** Returns the index of the first section with this name. */
    int section(String name) {
        OptionalInt found = OptionalInt.empty();
        int count = (int) get(Header.SHNUM);
        long names = get((int) get(Header.SHSTRNDX), Section.OFFSET);
        byte[] wanted = (name + '\0').getBytes(StandardCharsets.US_ASCII);
        for (int i = 1; i < count && found.isEmpty(); i++) {
            int at = (int) (names + get(i, Section.NAME));
            if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
                found = OptionalInt.of(i);
            }
        }
        return found.orElseThrow();
    }

    /** Returns the index of the first section of this type. */
    int sectionOfType(int type) {
        int index = 1;
        while (get(index, Section.TYPE) != type) {
            index++;
        }
        return index;
    }

    int offset(int section) {
        return (int) get(section, Section.OFFSET);
    }

    private int at(int section, Section field) {
        int size = machine.is64() ? 64 : 40;
        return (int) get(Header.SHOFF) + section * size + (machine.is64() ? field.at64 : field.at32);
    }

    /** Writes a number; width 0 stands for an unsigned long. */
    private ElfFields put(int at, int width, long value) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(machine.order());
        switch (width == 0 ? machine.wordSize() : width) {
            case 1 -> buffer.put(at, (byte) value);
            case 2 -> buffer.putShort(at, (short) value);
            case 4 -> buffer.putInt(at, (int) value);
            default -> buffer.putLong(at, value);
        }
        return this;
    }

    private long get(int at, int width) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes).order(machine.order());
        return switch (width == 0 ? machine.wordSize() : width) {
            case 1 -> buffer.get(at) & 0xff;
            case 2 -> buffer.getShort(at) & 0xffff;
            case 4 -> buffer.getInt(at) & 0xffffffffL;
            default -> buffer.getLong(at);
        };
    }
}
