package dev.weaklink.fleet.intake;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The lines of a stream, one held in memory at a time; of a line that is too long nothing is held. A carriage return
 * erases clush's counter, which clush writes in front of the next line, and nothing else: what a node prints must not
 * erase the name that stands before it.
 */
final class Lines {
    /** In bytes: what a node with all its modules' tables reports, several times over. */
    static final int MAX_LENGTH = 64 << 20;

    private static final int BUFFER_SIZE = 64 << 10;

    /** A line's buffer is kept for the next one up to here. */
    private static final int KEPT = 1 << 20;

    private static final byte[] COUNTER = "clush: ".getBytes(StandardCharsets.US_ASCII);

    /** A counter, and the blanks that clush erases it with, have fewer bytes. */
    private static final int MAX_COUNTER = 256;

    private final InputStream in;
    private final int maxLength;
    private final byte[] buffer = new byte[BUFFER_SIZE];
    private int position;
    private int end;
    private byte[] line = new byte[BUFFER_SIZE];
    private int length;
    private long number;
    private long feeds;
    private boolean tooLong;
    private boolean again;
    private boolean atEnd;

    Lines(InputStream in, int maxLength) {
        this.in = in;
        this.maxLength = maxLength;
    }

    /** Goes to the next line that is not empty; false at the end. A last line needs no line feed. */
    boolean next() throws IOException {
        if (again) {
            again = false;
            return true;
        }
        if (!skipEnds()) {
            atEnd = true;
            return false;
        }
        number = feeds + 1;
        length = 0;
        tooLong = false;
        if (line.length > KEPT) {
            line = new byte[BUFFER_SIZE];
        }
        while (fill()) {
            int at = position;
            while (at < end && !isEnd(buffer[at])) {
                at++;
            }
            append(at - position);
            if (at < end && buffer[at] == '\n') {
                return true;
            }
            if (at < end) {
                endCounter();
            }
        }
        return true;
    }

    /** At a carriage return: forgets the line if clush's counter is all that is in it, else keeps the character. */
    private void endCounter() {
        if (!tooLong && isCounter()) {
            length = 0;
            position++;
        } else {
            append(1);
        }
    }

    /** Returns whether the line so far is {@code clush: 3/412}, or the blanks that erase it. */
    private boolean isCounter() {
        int last = length > MAX_COUNTER ? -1 : length;
        while (last > 0 && line[last - 1] == ' ') {
            last--;
        }
        if (last <= COUNTER.length) {
            return last == 0;
        }
        int slashes = 0;
        for (int at = 0; at < last; at++) {
            boolean isSlash = at >= COUNTER.length && line[at] == '/';
            slashes += isSlash ? 1 : 0;
            if (at < COUNTER.length ? line[at] != COUNTER[at] : !isSlash && (line[at] < '0' || line[at] > '9')) {
                return false;
            }
        }
        return slashes == 1;
    }

    /** The next call of {@link #next} stays at this line. */
    void again() {
        again = !atEnd;
    }

    private static boolean isEnd(byte b) {
        return b == '\n' || b == '\r';
    }

    /** Not one step a line of a reader above: a few bytes can unpack to a billion of them. */
    private boolean skipEnds() throws IOException {
        while (fill()) {
            if (!isEnd(buffer[position])) {
                return true;
            }
            if (buffer[position++] == '\n') {
                feeds++;
            }
        }
        return false;
    }

    private boolean fill() throws IOException {
        if (position == end) {
            position = 0;
            end = Math.max(0, in.read(buffer, 0, buffer.length));
        }
        return end > 0;
    }

    /** Moves bytes of the buffer to the line's end. */
    private void append(int count) {
        int from = position;
        position += count;
        if (tooLong || count > maxLength - length) {
            tooLong = true;
            length = 0;
            return;
        }
        if (count > line.length - length) {
            long doubled = Math.min(maxLength, 2L * line.length);
            line = Arrays.copyOf(line, (int) Math.max(doubled, length + count));
        }
        System.arraycopy(buffer, from, line, length, count);
        length += count;
    }

    /** The line's bytes, of which the first {@link #length} count. Not a copy. */
    byte[] bytes() {
        return line;
    }

    /** Without what ends it; 0 if it is too long. */
    int length() {
        return length;
    }

    /** Counted from 1. */
    long number() {
        return number;
    }

    boolean isTooLong() {
        return tooLong;
    }

    /**
     * This line from a place on, and those behind it as far as they are asked for, up to one that holds an inventory:
     * no document does.
     */
    InputStream document(int from) {
        return new Document(from);
    }

    private final class Document extends InputStream {
        /** Jackson reads as much before it looks at anything, which must not be of the next line. */
        private int blanks = 4;

        private int at;
        private boolean ended;

        Document(int from) {
            this.at = from;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int most) throws IOException {
            if (blanks > 0) {
                int count = Math.min(most, blanks);
                Arrays.fill(bytes, offset, offset + count, (byte) ' ');
                blanks -= count;
                return count;
            }
            if (ended || at > length && !goOn()) {
                ended = true;
                return -1;
            }
            if (at == length) {
                at++;
                bytes[offset] = '\n';
                return 1;
            }
            int count = Math.min(most, length - at);
            System.arraycopy(line, at, bytes, offset, count);
            at += count;
            return count;
        }

        private boolean goOn() throws IOException {
            at = 0;
            if (next() && !tooLong && NodeLine.next(line, 0, length) < 0) {
                return true;
            }
            again();
            return false;
        }
    }
}
