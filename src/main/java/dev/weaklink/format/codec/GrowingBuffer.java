package dev.weaklink.format.codec;

import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.UnreadableKind;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** A byte buffer that grows up to a limit, and whose array may be reused for the next file. */
final class GrowingBuffer {
    static final String TOO_LONG = "contents exceed the limit of ";

    private static final int INITIAL_CAPACITY = 1 << 20;

    /** The maximum capacity in bytes that a buffer can have without waiting for other workers. */
    static final int FREE_CAPACITY = (int) Math.max(
            4 << 20,
            Math.min(
                    16 << 20,
                    Runtime.getRuntime().maxMemory()
                            / (32L * Runtime.getRuntime().availableProcessors())));

    private static final byte[] NONE = new byte[0];

    private final int limit;
    private final @Nullable SharedArrays shared;
    private byte[] array = NONE;
    private int length;

    GrowingBuffer(int limit) {
        this(limit, null);
    }

    /** Creates a buffer that shares arrays with other workers, unless {@code shared} is null. */
    GrowingBuffer(int limit, @Nullable SharedArrays shared) {
        this.limit = limit;
        this.shared = shared;
    }

    interface SharedArrays {
        /**
         * Returns an array for reuse. If {@code least} exceeds {@link #FREE_CAPACITY}, first waits until no other
         * worker has such a large array.
         *
         * @return an existing array of at least {@code least} bytes; null if the caller must allocate a new array
         */
        byte @Nullable [] take(int least);

        void giveBack(byte[] array);
    }

    byte[] array() {
        return array;
    }

    int length() {
        return length;
    }

    int room() {
        return array.length - length;
    }

    void clear() {
        length = 0;
        if (shared != null) {
            shared.giveBack(array);
            array = NONE;
        } else if (array.length > FREE_CAPACITY) {
            array = NONE;
        }
    }

    /**
     * Adds {@code count} bytes, which the caller has written into {@link #array()}, to the length. Throws if the length
     * exceeds the limit.
     */
    void advance(int count) throws UnreadableException {
        length += count;
        requireWithinLimit(length);
    }

    /**
     * Makes room for at least one more byte. At the limit, the array has room for one byte beyond the limit, so that a
     * decoder can distinguish the end from too much data.
     */
    void grow() throws UnreadableException {
        if (room() == 0) {
            enlarge(length + 1L);
        }
    }

    void reserve(long count) throws UnreadableException {
        requireWithinLimit(length + count);
        if (count > room()) {
            enlarge(length + count);
        }
    }

    /**
     * Appends a whole stream; a stream longer than the limit is an error.
     *
     * @param expected the announced length; room for more than {@link #FREE_CAPACITY} bytes is made only after reading
     *     that many
     */
    void readAll(InputStream in, long expected) throws IOException {
        // One extra byte shows the end of the stream without growing.
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
     * Decodes the packed bytes into this buffer. A result that fits into no available array is decoded twice: first to
     * count its bytes, then into an array of that size. An array that grows would need half as much memory again.
     *
     * @param memoryKib the most memory, in KiB, that an xz decoder may need
     * @throws IOException if the bytes are truncated or corrupt, or decode to more than the limit
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
                resize((int) size + 1);
            }
        }
    }

    /** Reads the stream to its end; returns false if the rest needs a larger array than is available. */
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

    /**
     * Grows the buffer up to {@link #FREE_CAPACITY} or into an existing large array; returns false if neither has room.
     */
    private boolean growsInShare() throws UnreadableException {
        if (array.length < FREE_CAPACITY) {
            resize(Math.max(INITIAL_CAPACITY, Math.min(2 * array.length, FREE_CAPACITY)));
            return true;
        }
        byte[] spare = shared == null ? null : shared.take(array.length + 1);
        if (spare != null) {
            moveTo(spare);
        }
        return spare != null;
    }

    /** Reads the rest of the stream, and returns the number of all decoded bytes. Overwrites the bytes read so far. */
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
            throw new UnreadableException(UnreadableKind.CONTENTS, TOO_LONG + limit + " bytes");
        }
    }

    private void enlarge(long needed) throws UnreadableException {
        long doubled = Math.max(INITIAL_CAPACITY, 2L * array.length);
        // The last step is to the limit itself, so that the old and the new array together never exceed 1.5 times the
        // limit.
        long wanted = doubled > limit / 2 && array.length > 0 ? limit + 1L : Math.max(needed, doubled);
        resize((int) Math.min(limit + 1L, wanted));
    }

    private void resize(int capacity) throws UnreadableException {
        byte[] spare = shared != null ? shared.take(capacity) : null;
        if (spare == null && capacity > FREE_CAPACITY && !hasRoom(capacity)) {
            System.gc(); // since Java 22, the heap would grow to its own limit instead
        }
        try {
            moveTo(spare != null ? spare : new byte[capacity]);
        } catch (OutOfMemoryError e) {
            // Only this array does not fit into the heap; the program can continue.
            throw new UnreadableException(
                    UnreadableKind.CONTENTS, "not enough memory: the contents need a buffer of " + capacity + " bytes");
        }
    }

    /** Returns whether the heap has room for a large array, whatever part of the heap is kept for small objects. */
    private static boolean hasRoom(int capacity) {
        Runtime heap = Runtime.getRuntime();
        return heap.freeMemory() - capacity > heap.totalMemory() / 3;
    }

    private void moveTo(byte[] larger) {
        System.arraycopy(array, 0, larger, 0, length);
        if (shared != null && larger.length > FREE_CAPACITY && array.length <= FREE_CAPACITY) {
            shared.giveBack(array);
        }
        array = larger;
    }
}
