package dev.weaklink.format.archive;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.codec.DecodedStream;
import dev.weaklink.sys.ByteStream;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongConsumer;

/**
 * A decompressing stream that charges every byte it yields to a shared budget. Skipped bytes of an uncompressed stream
 * are free.
 */
final class UnpackedStream extends ByteStream {
    private static final int BUFFER_SIZE = 64 << 10;

    private final boolean plain;
    private final CountingStream packed;
    private final InputStream in;
    private final PackageBudget budget;
    private long unpacked;

    private UnpackedStream(CountingStream packed, InputStream in, boolean plain, PackageBudget budget) {
        this.packed = packed;
        this.in = in;
        this.plain = plain;
        this.budget = budget;
    }

    /** Decodes a stream according to its magic; closing the result closes the stream. */
    static UnpackedStream open(InputStream raw, PackageBudget budget) throws IOException {
        CountingStream packed = new CountingStream(raw);
        BufferedInputStream buffered = new BufferedInputStream(packed, BUFFER_SIZE);
        buffered.mark(Compression.MAGIC_LENGTH);
        byte[] magic = buffered.readNBytes(Compression.MAGIC_LENGTH);
        buffered.reset();
        return of(packed, buffered, Compression.of(magic, 0, magic.length), budget);
    }

    static UnpackedStream of(InputStream raw, Compression compression, PackageBudget budget) throws IOException {
        CountingStream packed = new CountingStream(raw);
        return of(packed, packed, compression, budget);
    }

    private static UnpackedStream of(
            CountingStream packed, InputStream raw, Compression compression, PackageBudget budget) throws IOException {
        InputStream in = DecodedStream.open(raw, compression, budget.limits().decoderKib());
        return new UnpackedStream(packed, in, compression == Compression.NONE, budget);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = in.read(bytes, offset, length);
        unpacked += Math.max(count, 0);
        budget.spendBytes(Math.max(count, 0));
        if (!plain) {
            budget.requirePlausible(packed.count(), unpacked);
        }
        return count;
    }

    @Override
    public long skip(long count) throws IOException {
        return plain ? in.skip(count) : super.skip(count);
    }

    @Override
    public int available() throws IOException {
        return in.available();
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    static final class CountingStream extends FilterInputStream {
        private final LongConsumer listener;
        private long count;

        CountingStream(InputStream in) {
            this(in, more -> {});
        }

        CountingStream(InputStream in, LongConsumer listener) {
            super(in);
            this.listener = listener;
        }

        long count() {
            return count;
        }

        @Override
        public int read() throws IOException {
            int value = in.read();
            count(value < 0 ? 0 : 1);
            return value;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int read = in.read(bytes, offset, length);
            count(Math.max(read, 0));
            return read;
        }

        @Override
        public long skip(long wanted) throws IOException {
            long skipped = in.skip(wanted);
            count(skipped);
            return skipped;
        }

        private void count(long more) {
            count += more;
            listener.accept(more);
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
