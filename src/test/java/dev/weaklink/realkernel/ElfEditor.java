package dev.weaklink.realkernel;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Changes parts of a relocatable ELF64 little-endian file, and leaves every other byte unchanged. Section contents that
 * grow move to the end of the file.
 */
final class ElfEditor {
    private static final int E_SHOFF = 40;
    private static final int E_SHNUM = 60;
    private static final int E_SHSTRNDX = 62;
    private static final int SECTION_HEADER = 64;

    private byte[] bytes;
    private final int sectionTable;
    private final int nameTable;
    private final List<String> sectionNames = new ArrayList<>();

    ElfEditor(byte[] file) {
        bytes = file.clone();
        sectionTable = (int) buffer().getLong(E_SHOFF);
        nameTable = Short.toUnsignedInt(buffer().getShort(E_SHSTRNDX));
        int names = (int) get(nameTable, Field.OFFSET);
        for (int i = 0; i < Short.toUnsignedInt(buffer().getShort(E_SHNUM)); i++) {
            sectionNames.add(text(names + (int) get(i, Field.NAME)));
        }
    }

    /** Returns a copy of the changed file. */
    byte[] bytes() {
        return bytes.clone();
    }

    /** Returns the changed file, for reading and writing numbers in place. */
    ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Returns the index of the first section with this name. */
    int section(String name) {
        return found(sectionNames.indexOf(name), name);
    }

    /** Returns the index of the first section with this sh_type. */
    int sectionOfType(int type) {
        for (int i = 0; i < sectionNames.size(); i++) {
            if (get(i, Field.TYPE) == type) {
                return i;
            }
        }
        return found(-1, "of type " + type);
    }

    private static int found(int index, String what) {
        if (index < 0) {
            throw new IllegalArgumentException("no section " + what);
        }
        return index;
    }

    long get(int section, Field field) {
        int at = sectionTable + section * SECTION_HEADER + field.offset;
        return field.wide ? buffer().getLong(at) : Integer.toUnsignedLong(buffer().getInt(at));
    }

    void set(int section, Field field, long value) {
        int at = sectionTable + section * SECTION_HEADER + field.offset;
        if (field.wide) {
            buffer().putLong(at, value);
        } else {
            buffer().putInt(at, (int) value);
        }
    }

    void set(String section, Field field, long value) {
        set(section(section), field, value);
    }

    /** Returns the offset of a section's contents in the file. */
    int start(String section) {
        return (int) get(section(section), Field.OFFSET);
    }

    byte[] contents(int section) {
        int start = (int) get(section, Field.OFFSET);
        return Arrays.copyOfRange(bytes, start, start + (int) get(section, Field.SIZE));
    }

    byte[] contents(String section) {
        return contents(section(section));
    }

    /** Replaces a section's contents, in place if the size does not change. */
    void replace(String name, byte[] contents) {
        int section = section(name);
        if (contents.length == get(section, Field.SIZE)) {
            write((int) get(section, Field.OFFSET), contents);
        } else {
            moveToEnd(section, contents, 64);
        }
    }

    /** Appends to a section's contents, which move to the end of the file; returns the offset of the new bytes. */
    int append(int section, byte[] more, int alignment) {
        byte[] contents = contents(section);
        int length = contents.length;
        byte[] both = Arrays.copyOf(contents, length + more.length);
        System.arraycopy(more, 0, both, length, more.length);
        moveToEnd(section, both, alignment);
        return length;
    }

    /** Renames a section. The new name is appended, because names in a string table share their ends. */
    void rename(String name, String newName) {
        int section = section(name);
        set(section, Field.NAME, append(nameTable, terminated(newName), 64));
        sectionNames.set(section, newName);
    }

    void write(int offset, byte... data) {
        System.arraycopy(data, 0, bytes, offset, data.length);
    }

    /** Returns the NUL-terminated string at an offset of the file. */
    String text(int offset) {
        int end = offset;
        while (bytes[end] != 0) {
            end++;
        }
        return new String(bytes, offset, end - offset, StandardCharsets.ISO_8859_1);
    }

    static byte[] terminated(String text) {
        return (text + "\0").getBytes(StandardCharsets.ISO_8859_1);
    }

    private void moveToEnd(int section, byte[] contents, int alignment) {
        int start = (bytes.length + alignment - 1) / alignment * alignment;
        bytes = Arrays.copyOf(bytes, start + contents.length);
        write(start, contents);
        set(section, Field.OFFSET, start);
        set(section, Field.SIZE, contents.length);
    }

    /** The fields of a section header. */
    enum Field {
        NAME(0, false),
        TYPE(4, false),
        FLAGS(8, true),
        OFFSET(24, true),
        SIZE(32, true),
        LINK(40, false);

        private final int offset;
        private final boolean wide;

        Field(int offset, boolean wide) {
            this.offset = offset;
            this.wide = wide;
        }
    }
}
