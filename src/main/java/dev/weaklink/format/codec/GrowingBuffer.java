package dev.weaklink.format.codec;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.Kind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Bytes that are appended up to a limit, in an array that is reused from file to file. */
final class GrowingBuffer {
    /** How the message begins when contents are longer than the limit, which follows. */
    static final String TOO_LONG = "contents exceed the limit of ";

    private static final int INITIAL_CAPACITY = 1 << 20;

    /**
     * What each of the workers may take without asking, and keeps for the next file: together a thirty-second of the
     * heap.
     */
    private static final int FREE_CAPACITY = (int) Math.max(
            4 << 20,
            Math.min(
                    32 << 20,
                    Runtime.getRuntime().maxMemory()
                            / (32L * Runtime.getRuntime().availableProcessors())));

    private final int limit;
    private final @Nullable LargeArrays large;
    private byte[] array = new byte[0];

    /** What is used again when a large array is given back. */
    private byte[] share = array;

    private int length;

    GrowingBuffer(int limit) {
        this(limit, null);
    }

    /** With where arrays come from that are larger than a worker's share. */
    GrowingBuffer(int limit, @Nullable LargeArrays large) {
        this.limit = limit;
        this.large = large;
    }

    /** Arrays that are larger than a worker's share. */
    interface LargeArrays {
        /**
         * Waits until no other worker has one.
         *
         * @return one that is there already; null if a new one has to be made
         */
        byte @Nullable [] take(int least);

        /** Keeps one for the next that needs it. */
        void giveBack(byte[] array);
    }

    byte[] array() {
        return array;
    }

    int length() {
        return length;
    }

    /** Room behind the bytes written so far. */
    int room() {
        return array.length - length;
    }

    void clear() {
        length = 0;
        if (array.length > FREE_CAPACITY) {
            if (large != null) {
                large.giveBack(array);
            }
            array = share;
        }
    }

    /** Counts bytes that were written straight into {@link #array()} behind {@link #length()}. */
    void advance(int count) throws UnreadableException {
        length += count;
        requireWithinLimit(length);
    }

    /**
     * Makes room for at least one byte more, growing the array to twice its size. At the limit there is room for one
     * byte too many, so that a decoder can distinguish the end from too much.
     */
    void grow() throws UnreadableException {
        if (room() == 0) {
            enlarge(length + 1L);
        }
    }

    /** Makes room for {@code count} bytes more. */
    void reserve(long count) throws UnreadableException {
        requireWithinLimit(length + count);
        if (count > room()) {
            enlarge(length + count);
        }
    }

    /**
     * Appends all that a stream has; one byte more than the limit is an error.
     *
     * @param expected how much it is said to have, which is believed once a worker's share is full
     */
    void readAll(InputStream in, long expected) throws IOException {
        // One byte more shows the end without growing.
        reserve(Math.min(expected + 1, FREE_CAPACITY));
        int count = 0;
        while (count >= 0) {
            advance(count);
            if (room() == 0 && expected >= length) {
                reserve(Math.min(expected + 1, limit) - length);
            }
            grow();
            count = in.read(array, length, room());
        }
    }

    /**
     * Holds all that some bytes decode to. What turns out to need a larger array than there is gets counted and decoded
     * once more: one array that grows would need half as much memory again.
     *
     * @param memoryKib the most memory, in KiB, that an xz decoder may need
     * @throws IOException if they are truncated or corrupt, or decode to more than the limit
     */
    void decode(byte[] packed, int packedLength, Compression compression, int memoryKib) throws IOException {
        for (boolean complete = false; !complete; ) {
            length = 0;
            InputStream in = new ByteArrayInputStream(packed, 0, packedLength);
            long size;
            try (InputStream decoded = DecodedStream.open(in, compression, memoryKib)) {
                complete = fill(decoded);
                size = complete ? length : counted(decoded);
            }
            if (!complete) {
                clear();
                System.gc(); // from Java 22 on the heap would grow instead, to its own limit
                array = resized((int) size + 1);
            }
        }
    }

    /** Whether that was all; otherwise what follows needs a larger array than there is. */
    private boolean fill(InputStream in) throws IOException {
        int count = 0;
        while (count >= 0) {
            advance(count);
            if (room() == 0 && !growsInShare()) {
                return false;
            }
            count = in.read(array, length, room());
        }
        return true;
    }

    /** Whether there is more room now, in a worker's share or in a large array that was there. */
    private boolean growsInShare() throws UnreadableException {
        if (array.length < FREE_CAPACITY) {
            array = resized(Math.max(INITIAL_CAPACITY, Math.min(2 * array.length, FREE_CAPACITY)));
            share = array;
            return true;
        }
        byte[] spare = large == null ? null : large.take(array.length + 1);
        if (spare != null) {
            System.arraycopy(array, 0, spare, 0, length);
            array = spare;
        }
        return spare != null;
    }

    /** How much there is in all, what was read included, which is lost. */
    private long counted(InputStream in) throws IOException {
        long size = length;
        for (int count = 0; count >= 0; count = in.read(array)) {
            size += count;
            requireWithinLimit(size);
        }
        return size;
    }

    private void requireWithinLimit(long size) throws UnreadableException {
        if (size > limit) {
            throw new UnreadableException(Kind.CONTENTS, TOO_LONG + limit + " bytes");
        }
    }

    private void enlarge(long needed) throws UnreadableException {
        long doubled = Math.max(INITIAL_CAPACITY, 2L * array.length);
        // The last step is to the limit itself, so that old and new are never more than 1.5 times it.
        long wanted = doubled > limit / 2 && array.length > 0 ? limit + 1L : Math.max(needed, doubled);
        array = resized((int) Math.min(limit + 1L, wanted));
    }

    private byte[] resized(int capacity) throws UnreadableException {
        byte[] spare = capacity > FREE_CAPACITY && large != null ? large.take(capacity) : null;
        try {
            byte[] larger = spare != null ? spare : new byte[capacity];
            System.arraycopy(array, 0, larger, 0, length);
            return larger;
        } catch (OutOfMemoryError e) {
            // One array the heap has no room for; everything else is intact.
            throw new UnreadableException(Kind.CONTENTS, "not enough memory for " + capacity + " bytes of contents");
        }
    }
}
