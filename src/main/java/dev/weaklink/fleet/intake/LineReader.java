package dev.weaklink.fleet.intake;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Splits a stream into lines and skips empty lines. Only one line is in memory at a time. The contents of a line that
 * is too long are dropped. At a carriage return, the line so far is dropped only if it is clush's progress counter.
 * Otherwise, a node's output could delete the node's name, which clush prints before it.
 */
final class LineReader {
    /**
     * The maximum length of a line in bytes, several times the size of a report with the symbol tables of all modules.
     */
    static final int MAX_LENGTH = 64 << 20;

    private static final int BUFFER_SIZE = 64 << 10;

    private static final int KEPT = 1 << 20;

    private static final byte[] COUNTER = "clush: ".getBytes(StandardCharsets.US_ASCII);

    /** The maximum length of a counter in bytes, including the blanks with which clush erases it. */
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

    LineReader(InputStream in, int maxLength) {
        this.in = in;
        this.maxLength = maxLength;
    }

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
            int at = nextEnd();
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

    /**
     * Returns the position of the next line end in the buffer, or the end of the buffer. The search takes a fifth of
     * the time of a large audit: local variables and a single comparison for most bytes halve it.
     */
    private int nextEnd() {
        byte[] bytes = buffer;
        int last = end;
        int at = position;
        while (at < last && (bytes[at] > '\r' || !isEnd(bytes[at]))) {
            at++;
        }
        return at;
    }

    /** Handles a carriage return: deletes the line so far if it is clush's counter, else keeps the character. */
    private void endCounter() {
        if (!tooLong && isCounter()) {
            length = 0;
            position++;
        } else {
            append(1);
        }
    }

    /** Returns whether the line so far is a counter such as {@code clush: 3/412}, or the blanks that erase it. */
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

    void again() {
        again = !atEnd;
    }

    private static boolean isEnd(byte b) {
        return b == '\n' || b == '\r';
    }

    /**
     * Skips line ends without reading each empty line, because a few compressed bytes can expand to a billion empty
     * lines. Returns false at the end of the input.
     */
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

    /** Returns the array with the line's bytes, of which the first {@link #length} are valid. */
    byte[] bytes() {
        return line;
    }

    /** Returns the length of the line in bytes without the line feed; 0 if the line is too long. */
    int length() {
        return length;
    }

    long number() {
        return number;
    }

    int maxLength() {
        return maxLength;
    }

    boolean isTooLong() {
        return tooLong;
    }

    /**
     * Returns a stream of this line from an offset on, and of the following lines. The stream ends before a line that
     * is too long or contains an inventory of {@code weaklink-collect}. In a document, such an inventory would be
     * escaped.
     */
    InputStream document(int from) {
        return new Document(from);
    }

    private final class Document extends InputStream {
        /**
         * The number of blanks before the document. Jackson reads four bytes ahead to detect the encoding; without the
         * blanks, these bytes could belong to the next line.
         */
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
