package dev.weaklink.kernel.image;

import dev.weaklink.kernel.image.KernelImage.EntryLayout;
import java.util.Arrays;

/** Reads entries of export tables in one layout. */
final class Entries {
    /** The maximum length of a name, with its NUL: KSYM_NAME_LEN of 6.1 and later (include/linux/kallsyms.h). */
    private static final int MAX_NAME = 512;

    private static final int NONE = -1;

    private final ByteView image;
    private final EntryLayout layout;
    private final Addresses addresses;

    /** Creates a reader; {@code addresses} maps pointers to offsets in the image. Relative layouts have no pointers. */
    Entries(ByteView image, EntryLayout layout, Addresses addresses) {
        this.image = image;
        this.layout = layout;
        this.addresses = addresses;
    }

    EntryLayout layout() {
        return layout;
    }

    ByteView image() {
        return image;
    }

    /** Returns the offset of the name of the entry at {@code entry}; -1 if the bytes there are not an entry. */
    int name(int entry) {
        if (!image.contains(entry, layout.size())) {
            return NONE;
        }
        int name = target(entry + layout.fieldSize());
        return name >= 0 && nameLength(name) > 0 ? name : NONE;
    }

    int namespace(int entry) {
        if (layout.fields() < 3) {
            return NONE;
        }
        int place = entry + 2 * layout.fieldSize();
        if (image.word(place, layout.fieldSize()) == 0) {
            return NONE;
        }
        int namespace = target(place);
        return namespace >= 0 && textLength(namespace) > 0 ? namespace : NONE;
    }

    /**
     * Returns the offset of the string of an entry's namespace, even if the string is empty; -1 if the entry has none.
     */
    int namespaceString(int entry) {
        if (layout.fields() < 3) {
            return NONE;
        }
        int place = entry + 2 * layout.fieldSize();
        return image.word(place, layout.fieldSize()) == 0 ? NONE : target(place);
    }

    private int target(int field) {
        if (!layout.relative()) {
            return addresses.offset(image.word(field, layout.fieldSize()));
        }
        long at = (long) field + image.i32(field);
        return at >= 0 && at < image.length() ? (int) at : NONE;
    }

    /** Returns the length of the symbol name at an offset; 0 if the bytes are not a name. */
    int nameLength(int offset) {
        byte[] data = image.data();
        int limit = Math.min(image.length(), offset + MAX_NAME);
        for (int at = offset; at < limit; at++) {
            if (data[at] == 0) {
                return at - offset;
            }
            if (!isNameByte(data[at], at == offset)) {
                return 0;
            }
        }
        return 0;
    }

    private static boolean isNameByte(byte b, boolean first) {
        return b >= 'a' && b <= 'z'
                || b >= 'A' && b <= 'Z'
                || b == '_'
                || b == '.'
                || b == '$'
                || !first && b >= '0' && b <= '9';
    }

    /** Returns the length of the string at an offset; 0 if the bytes are not a printable string. */
    int textLength(int offset) {
        byte[] data = image.data();
        int limit = Math.min(image.length(), offset + MAX_NAME);
        for (int at = offset; at < limit; at++) {
            if (data[at] == 0) {
                return at - offset;
            }
            if (data[at] < ' ' || data[at] == 0x7f) {
                return 0;
            }
        }
        return 0;
    }

    /** Returns whether the name at one offset sorts before the name at another, as strcmp does. */
    boolean ascends(int name, int next) {
        byte[] data = image.data();
        return Arrays.compareUnsigned(data, name, name + nameLength(name), data, next, next + nameLength(next)) < 0;
    }
}
