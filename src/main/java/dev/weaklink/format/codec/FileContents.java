package dev.weaklink.format.codec;

import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.StalledReads;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.SoftReference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The contents of one file at a time, decompressed if kmod supports the compression, in buffers that the next file
 * reuses. An instance is for one thread. The next {@link #load} or {@link #release} invalidates the array of
 * {@link #bytes()}.
 */
public final class FileContents {
    /**
     * The number of bytes for one read, small enough to stay in the processor's cache between the kernel's copy and
     * weaklink's copy.
     */
    private static final int READ_SIZE = 64 << 10;

    /** The average size in bytes of a module packed with xz. */
    private static final int USUAL_MODULE = 20 << 10;

    /**
     * The permit to load a large file. Only one worker at a time holds the permit, and all workers use the same array
     * for large files. Otherwise the workers would need a heap several times as large.
     */
    private static final Semaphore LARGE = new Semaphore(1, true);

    /** An array kept for the next large file; only the holder of {@link #LARGE} may access the array. */
    private static SoftReference<byte[]> spare = new SoftReference<>(new byte[0]);

    /**
     * Arrays that no worker uses at the moment, kept for reuse. Without reuse, the arrays of finished workers would
     * fill the heap, which the JVM enlarges before it collects garbage.
     */
    private static final List<byte[]> IDLE = new ArrayList<>();

    private final Limits limits;
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(READ_SIZE);
    private final GrowingBuffer raw;
    private final GrowingBuffer unpacked;
    private @Nullable ZstdDecoder zstd;
    private Packing packing = Packing.NONE;
    private final @Nullable Turn turn;

    public FileContents() {
        this(Limits.DEFAULT);
    }

    public FileContents(Limits limits) {
        this(limits, false);
    }

    private FileContents(Limits limits, boolean waits) {
        this.limits = limits;
        Turn turn = waits ? new Turn() : null;
        this.turn = turn;
        this.raw = new GrowingBuffer(limits.maxBytes(), turn);
        this.unpacked = new GrowingBuffer(limits.maxBytes(), turn);
    }

    /**
     * Returns an instance for one of several worker threads. Loading a large file waits until no other worker has a
     * large file. The worker must {@link #release} the contents as soon as possible, and must not load a file into
     * another instance before that.
     */
    public static FileContents ofWorker() {
        return new FileContents(Limits.DEFAULT, true);
    }

    /**
     * Announces the approximate number of modules packed with xz that will be read. If the number is large and liblzma
     * is available, liblzma decodes even the first of these modules.
     */
    public static void expectXz(int modules) {
        LibLzma.expect((long) modules * USUAL_MODULE);
    }

    /** Discards the contents, and lets another worker load a large file. */
    public void release() {
        clear();
    }

    private static final class Turn implements GrowingBuffer.SharedArrays {
        private boolean isMine;

        @Override
        public byte @Nullable [] take(int least) {
            if (least <= GrowingBuffer.FREE_CAPACITY) {
                return largestIdle(least);
            }
            if (!isMine) {
                LARGE.acquireUninterruptibly();
                isMine = true;
            }
            byte[] kept = spare.get();
            // The caller replaces an array that is too small by a larger array. Keeping both would waste memory.
            spare.clear();
            return kept == null || kept.length < least ? null : kept;
        }

        private static byte @Nullable [] largestIdle(int least) {
            synchronized (IDLE) {
                int largest = -1;
                int size = least - 1;
                for (int i = 0; i < IDLE.size(); i++) {
                    if (IDLE.get(i).length > size) {
                        largest = i;
                        size = IDLE.get(i).length;
                    }
                }
                return largest < 0 ? null : IDLE.remove(largest);
            }
        }

        @Override
        public void giveBack(byte[] array) {
            if (array.length <= GrowingBuffer.FREE_CAPACITY) {
                synchronized (IDLE) {
                    if (array.length > 0) {
                        IDLE.add(array);
                    }
                }
                return;
            }
            byte[] kept = spare.get();
            if (kept == null || kept.length < array.length) {
                spare = new SoftReference<>(array);
            }
        }

        void end() {
            if (isMine) {
                isMine = false;
                LARGE.release();
            }
        }
    }

    /**
     * Reads a regular file and decompresses it if necessary (links are followed).
     *
     * @throws UnreadableException if the file is missing, not regular, not permitted, truncated, corrupt or beyond the
     *     limits
     */
    public void load(Path file) throws UnreadableException {
        clear();
        try {
            readRaw(file);
            decode();
        } catch (IOException e) {
            clear();
            throw UnreadableException.of(file, e);
        }
    }

    /**
     * Reads a stream to its end, as if it were a file.
     *
     * @param name the name of the contents in messages
     * @param expected the announced number of bytes; a correct number saves memory
     * @throws UnreadableException of {@link UnreadableException.UnreadableKind#CONTENTS} if the contents are truncated,
     *     corrupt or beyond the limits
     * @throws IOException if the stream itself fails
     */
    public void load(String name, InputStream in, long expected) throws IOException {
        clear();
        try {
            raw.readAll(in, Math.min(expected, limits.maxBytes()));
        } catch (UnreadableException e) {
            clear();
            throw e.kind() == UnreadableException.UnreadableKind.CONTENTS ? UnreadableException.of(name, e) : e;
        }
        try {
            decode();
        } catch (IOException e) {
            clear();
            throw UnreadableException.contents(name, e);
        }
    }

    private void clear() {
        packing = Packing.NONE;
        raw.clear();
        unpacked.clear();
        if (turn != null) {
            turn.end();
        }
    }

    private void decode() throws IOException {
        Packing found = Packing.of(raw.array(), raw.length());
        Compression compression = found.compression();
        if (compression == Compression.ZSTD) {
            zstd = zstd != null ? zstd : new ZstdDecoder();
            zstd.decode(raw.array(), raw.length(), unpacked);
        } else if (compression != Compression.NONE) {
            unpacked.decode(raw.array(), raw.length(), compression, limits.xzMemoryKib());
        }
        boolean isWhole = found.obstacle() != Packing.UnpackingObstacle.NONE
                || compression == Compression.NONE
                || FirstStream.containsAll(
                        raw.array(), raw.length(), compression, unpacked.length(), limits.xzMemoryKib());
        packing = isWhole ? found : found.inSeveralStreams();
    }

    /** Returns the array of the contents, not a copy; only the first {@link #length()} bytes are valid. */
    public byte[] bytes() {
        return buffer().array();
    }

    public int length() {
        return buffer().length();
    }

    public Compression compression() {
        return packing.compression();
    }

    public Packing packing() {
        return packing;
    }

    private GrowingBuffer buffer() {
        return packing.compression() == Compression.NONE ? raw : unpacked;
    }

    private void readRaw(Path file) throws IOException {
        long size = RegularFile.size(file);
        raw.reserve(size);
        try (FileChannel channel = StalledReads.watched(file, () -> FileChannel.open(file))) {
            chunk.clear();
            boolean isWhole = false;
            while (!isWhole && StalledReads.watched(file, () -> channel.read(chunk)) > 0) {
                // A chunk with room left ended at the end of the file, so no other read has to find the end.
                isWhole = chunk.hasRemaining() && raw.length() + chunk.position() == size;
                chunk.flip();
                int count = chunk.remaining();
                if (raw.length() + count > size) {
                    throw new UnreadableException("became longer while it was read");
                }
                chunk.get(raw.array(), raw.length(), count);
                raw.advance(count);
                chunk.clear();
            }
        }
    }
}
