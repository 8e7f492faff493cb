package dev.weaklink.fleet.intake;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Lines of a stream, one held at a time; of one that is too long nothing is held. A carriage return ends a line, too:
 * clush writes its counter in front of the line that follows it.
 */
final class Lines {
    /** In bytes: what a node with all its modules' tables reports, several times over. */
    static final int MAX_LENGTH = 64 << 20;

    private static final int BUFFER_SIZE = 64 << 10;

    /** A line's buffer is kept for the next one up to here. */
    private static final int KEPT = 1 << 20;

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
    private boolean overwritten;
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
        overwritten = false;
        if (line.length > KEPT) {
            line = new byte[BUFFER_SIZE];
        }
        do {
            int at = position;
            while (at < end && !isEnd(buffer[at])) {
                at++;
            }
            append(at - position);
            position = at;
            if (at < end) {
                finish();
                return true;
            }
        } while (fill());
        return true;
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

    /** What comes behind a line's carriage returns says whether they end it or go back in it. */
    private void finish() throws IOException {
        while (fill() && buffer[position] == '\r') {
            position++;
            overwritten = true;
        }
        overwritten = overwritten && end > 0 && buffer[position] != '\n';
    }

    private boolean fill() throws IOException {
        if (position == end) {
            position = 0;
            end = Math.max(0, in.read(buffer, 0, buffer.length));
        }
        return end > 0;
    }

    private void append(int count) {
        if (tooLong || count > maxLength - length) {
            tooLong = true;
            length = 0;
            return;
        }
        if (count > line.length - length) {
            long doubled = Math.min(maxLength, 2L * line.length);
            line = Arrays.copyOf(line, (int) Math.max(doubled, length + count));
        }
        System.arraycopy(buffer, position, line, length, count);
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

    /** Whether what follows was written over it. */
    boolean isOverwritten() {
        return overwritten;
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
