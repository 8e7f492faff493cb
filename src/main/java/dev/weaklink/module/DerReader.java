package dev.weaklink.module;

import dev.weaklink.sys.UnreadableException;

/**
 * Reads a sequence of DER elements (X.690), each with a tag, a length and contents. The reader refuses indefinite
 * lengths and tags of more than one byte, and checks every length against the available bytes. Bouncy Castle's reader
 * is not used, because every check of signed modules would have to load its classes.
 */
public final class DerReader {
    static final int INTEGER = 0x02;
    static final int OCTET_STRING = 0x04;
    static final int OBJECT_IDENTIFIER = 0x06;
    static final int SEQUENCE = 0x30;
    static final int SET = 0x31;

    private static final int LONG_FORM = 0x80;
    private static final int MAX_LENGTH_BYTES = 4;
    private static final int LONG_TAG = 0x1f;
    private static final int CONSTRUCTED = 0x20;

    private final byte[] data;
    private final int end;
    private int at;

    /**
     * A DER element.
     *
     * @param start the offset of the tag
     * @param contents the offset of the contents
     * @param end the offset behind the contents
     */
    record Element(int tag, int start, int contents, int end) {}

    DerReader(byte[] data, int start, int end) {
        this.data = data;
        this.at = start;
        this.end = end;
    }

    /** Returns whether all bytes are valid elements, nested at most {@code levels} deep. */
    public static boolean isNestedWithin(int levels, byte[] der) {
        try {
            return new DerReader(der, 0, der.length).isNestedWithin(levels);
        } catch (UnreadableException e) {
            return false;
        }
    }

    private boolean isNestedWithin(int levels) throws UnreadableException {
        while (hasNext()) {
            Element element = next();
            boolean constructed = (element.tag() & CONSTRUCTED) != 0;
            if (constructed && (levels == 0 || !inside(element).isNestedWithin(levels - 1))) {
                return false;
            }
        }
        return true;
    }

    DerReader inside(Element element) {
        return new DerReader(data, element.contents(), element.end());
    }

    boolean hasNext() {
        return at < end;
    }

    int nextTag() {
        return at < end ? data[at] & 0xff : -1;
    }

    /** Reads the next element. Throws if the element has another tag. */
    Element next(int tag) throws UnreadableException {
        if (nextTag() != tag) {
            throw new UnreadableException("another tag than " + tag);
        }
        return next();
    }

    Element next() throws UnreadableException {
        int start = at;
        if (end - at < 2 || (data[at] & LONG_TAG) == LONG_TAG) {
            throw new UnreadableException("no element");
        }
        int tag = data[at++] & 0xff;
        long length = length();
        if (length > end - at) {
            throw new UnreadableException("an element extends beyond the element that contains it");
        }
        int contents = at;
        at += (int) length;
        return new Element(tag, start, contents, at);
    }

    private long length() throws UnreadableException {
        int first = data[at++] & 0xff;
        if (first < LONG_FORM) {
            return first;
        }
        int bytes = first - LONG_FORM;
        if (bytes == 0 || bytes > MAX_LENGTH_BYTES || bytes > end - at) {
            throw new UnreadableException("a length of " + bytes + " bytes");
        }
        long length = 0;
        for (int i = 0; i < bytes; i++) {
            length = length << 8 | (data[at++] & 0xff);
        }
        return length;
    }
}
