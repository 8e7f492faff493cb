package dev.weaklink.module;

import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Finds sections by name; names are compared as bytes in the section name table. */
final class NamedSections {
    private static final int NONE = -1;

    private final ElfImage image;
    private final int nameTable;
    private final int nameTableEnd;

    NamedSections(ElfImage image) {
        SectionTable sections = image.sections();
        int names = image.header().sectionNameIndex();
        this.image = image;
        this.nameTable = (int) sections.offset(names);
        this.nameTableEnd = (int) (sections.offset(names) + sections.size(names));
    }

    static byte[] wanted(String name) {
        return (name + '\0').getBytes(StandardCharsets.US_ASCII);
    }

    boolean is(int index, byte[] wanted) {
        long at = nameTable + image.sections().nameOffset(index);
        if (wanted.length > nameTableEnd - at) {
            return false;
        }
        int start = (int) at;
        byte[] data = image.data();
        return data[start] == wanted[0]
                && data[start + 1] == wanted[1]
                && Arrays.equals(data, start, start + wanted.length, wanted, 0, wanted.length);
    }

    /** Returns the first section with SHF_ALLOC of this name (kernel: find_sec), or -1. */
    int findAllocated(byte[] wanted) {
        SectionTable sections = image.sections();
        for (int i = 1; i < sections.count(); i++) {
            if (sections.isAllocated(i) && is(i, wanted)) {
                return i;
            }
        }
        return NONE;
    }

    int find(byte[] wanted) {
        for (int i = 1; i < image.sections().count(); i++) {
            if (is(i, wanted)) {
                return i;
            }
        }
        return NONE;
    }

    int count(byte[] wanted) {
        int count = 0;
        for (int i = 1; i < image.sections().count(); i++) {
            if (is(i, wanted)) {
                count++;
            }
        }
        return count;
    }

    boolean hasName(int index) {
        return nameTable + image.sections().nameOffset(index) < nameTableEnd;
    }

    /** Returns the section's name; empty if the name is outside the name table. */
    String name(int index) {
        if (!hasName(index)) {
            return "";
        }
        long at = nameTable + image.sections().nameOffset(index);
        int length = image.stringLength((int) at, nameTableEnd);
        return length < 0 ? "" : new String(image.data(), (int) at, length, StandardCharsets.ISO_8859_1);
    }

    int hash(int index) {
        long at = nameTable + image.sections().nameOffset(index);
        int hash = 0;
        for (int i = (int) Math.min(at, nameTableEnd); i < nameTableEnd && image.data()[i] != 0; i++) {
            hash = 31 * hash + image.data()[i];
        }
        return hash;
    }
}
