package dev.weaklink.format.codec;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.tukaani.xz.CorruptedInputException;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.UnsupportedOptionsException;

/** A stream of xz data that liblzma decodes; the stream throws the same exceptions as the decoders in Java. */
final class LibLzmaStream extends InputStream {
    private static final int CHUNK = 64 << 10;

    /** The most bytes that one call decodes. While native code decodes, garbage collection need not wait. */
    private static final int DECODED = 1 << 20;

    // enum lzma_ret and lzma_action of lzma/base.h.
    private static final int OK = 0;
    private static final int STREAM_END = 1;
    private static final int MEM_ERROR = 5;
    private static final int MEMLIMIT_ERROR = 6;
    private static final int OPTIONS_ERROR = 8;
    private static final int BUF_ERROR = 10;
    private static final int RUN = 0;
    private static final int FINISH = 3;

    /** The flag that makes liblzma fail if it cannot verify an integrity check, as Java does (lzma/container.h). */
    private static final int TELL_UNSUPPORTED_CHECK = 2;

    private static final int CONCATENATED = 8;

    private final LzmaDecoder state;
    private final InputStream packed;
    private final int memoryKib;
    private final boolean one;
    private final byte[] chunk = new byte[CHUNK];
    private int chunkLength;
    private boolean packedEnd;
    private boolean end;
    private boolean closed;

    private LibLzmaStream(LzmaDecoder state, InputStream packed, int memoryKib, boolean one) {
        this.state = state;
        this.packed = packed;
        this.memoryKib = memoryKib;
        this.one = one;
    }

    /**
     * Opens xz data. If liblzma refuses the beginning (unknown options, too little memory), Java decodes the data.
     *
     * @param one whether to stop behind the first xz stream; if so, {@code packed} must support marks
     * @throws IOException if Java refuses the data too, or if reading fails
     */
    static InputStream open(
            LibLzma library, InputStream packed, int memoryKib, boolean one, DecodedStream.DecoderFactory java)
            throws IOException {
        LzmaDecoder state = LzmaDecoder.of(library);
        LibLzmaStream stream = new LibLzmaStream(state, packed, memoryKib, one);
        if (stream.begins()) {
            return stream;
        }
        if (one) {
            packed.reset();
            return java.open(packed);
        }
        InputStream first = new ByteArrayInputStream(stream.chunk, 0, stream.chunkLength);
        return java.open(new SequenceInputStream(first, packed));
    }

    /**
     * Returns whether liblzma accepts the beginning of the data; if not, makes the decoder available for the next
     * stream.
     */
    private boolean begins() throws IOException {
        boolean good = false;
        try {
            int flags = TELL_UNSUPPORTED_CHECK | (one ? 0 : CONCATENATED);
            boolean started = state.start((long) memoryKib << 10, flags) == OK;
            fill();
            // Given no room for output, liblzma reads the headers and stops at the first byte of data.
            good = started && state.code(RUN, 0) == OK;
        } finally {
            if (!good) {
                state.giveBack();
            }
        }
        return good;
    }

    private void fill() throws IOException {
        if (one) {
            packed.mark(CHUNK);
        }
        chunkLength = Math.max(packed.read(chunk, 0, CHUNK), 0);
        packedEnd = chunkLength == 0;
        state.feed(chunk, chunkLength);
    }

    @Override
    public int read() throws IOException {
        byte[] single = new byte[1];
        return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int decoded = 0;
        while (decoded == 0 && length > 0 && !end) {
            if (state.input() == 0 && !packedEnd) {
                fill();
            }
            int result = state.code(packedEnd ? FINISH : RUN, Math.min(length, DECODED));
            decoded = state.take(bytes, offset);
            end = result == STREAM_END;
            if (end && one) {
                packed.reset();
                packed.skipNBytes(chunkLength - state.input());
            } else if (!end && result != OK) {
                throw failure(result);
            }
        }
        return decoded > 0 || length == 0 ? decoded : -1;
    }

    private IOException failure(int result) {
        return switch (result) {
            case MEMLIMIT_ERROR -> new MemoryLimitException((int) (state.memoryUsage() >> 10) + 1, memoryKib);
            case OPTIONS_ERROR -> new UnsupportedOptionsException();
            case BUF_ERROR -> new EOFException();
            case MEM_ERROR -> throw new OutOfMemoryError();
            default -> new CorruptedInputException();
        };
    }

    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            end = true;
            state.giveBack();
            packed.close();
        }
    }

    private static final class LzmaDecoder {
        private static final Queue<LzmaDecoder> IDLE = new ConcurrentLinkedQueue<>();

        /**
         * The maximum memory that an idle decoder keeps: enough for modules, whose dictionaries have 2 MiB
         * (scripts/Makefile.modinst).
         */
        private static final long KEPT = 4 << 20;

        // The size and the offsets of struct lzma_stream if pointers and size_t have 64 bits.
        private static final int SIZE = 136;
        private static final int NEXT_IN = 0;
        private static final int AVAILABLE_IN = 8;
        private static final int NEXT_OUT = 24;
        private static final int AVAILABLE_OUT = 32;

        private final LibLzma library;
        private final ByteBuffer struct = ByteBuffer.allocateDirect(SIZE).order(ByteOrder.nativeOrder());
        private final ByteBuffer in = ByteBuffer.allocateDirect(CHUNK);
        private final ByteBuffer out = ByteBuffer.allocateDirect(DECODED);
        private final long address;
        private final long inAddress;
        private final long outAddress;

        private LzmaDecoder(LibLzma library) {
            this.library = library;
            this.address = library.address(struct);
            this.inAddress = library.address(in);
            this.outAddress = library.address(out);
        }

        static LzmaDecoder of(LibLzma library) {
            LzmaDecoder idle = IDLE.poll();
            return idle != null ? idle : new LzmaDecoder(library);
        }

        void giveBack() {
            if (memoryUsage() > KEPT) {
                library.end(address);
            }
            IDLE.add(this);
        }

        int start(long memory, int flags) {
            try {
                return library.streamDecoder(address, memory, flags);
            } finally {
                Reference.reachabilityFence(this);
            }
        }

        void feed(byte[] bytes, int length) {
            in.clear().put(bytes, 0, length);
            struct.putLong(NEXT_IN, inAddress);
            struct.putLong(AVAILABLE_IN, length);
        }

        int input() {
            return (int) struct.getLong(AVAILABLE_IN);
        }

        int code(int action, int room) {
            struct.putLong(NEXT_OUT, outAddress);
            struct.putLong(AVAILABLE_OUT, room);
            out.clear().limit(room);
            try {
                return library.code(address, action);
            } finally {
                Reference.reachabilityFence(this);
            }
        }

        int take(byte[] bytes, int offset) {
            int count = out.limit() - (int) struct.getLong(AVAILABLE_OUT);
            out.get(bytes, offset, count);
            return count;
        }

        long memoryUsage() {
            try {
                return library.memoryUsage(address);
            } finally {
                Reference.reachabilityFence(this);
            }
        }
    }
}
