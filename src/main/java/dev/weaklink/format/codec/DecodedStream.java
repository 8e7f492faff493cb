package dev.weaklink.format.codec;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import dev.weaklink.format.codec.Compression.LittleEndian;
import dev.weaklink.sys.ByteStream;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.UnreadableException;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterInputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import org.apache.commons.compress.compressors.lz4.BlockLZ4CompressorInputStream;
import org.apache.commons.compress.compressors.lz4.FramedLZ4CompressorInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.BasicArrayCache;
import org.tukaani.xz.LZMAInputStream;
import org.tukaani.xz.MemoryLimitException;
import org.tukaani.xz.SingleXZInputStream;
import org.tukaani.xz.UnsupportedOptionsException;
import org.tukaani.xz.XZInputStream;

/**
 * A stream of decompressed bytes. The caller must limit the number of bytes that it reads. The caller must close the
 * stream, because decoders may hold memory outside the heap.
 *
 * <p>If the data is truncated or corrupt, reads throw an {@link UnreadableException} whose message is the reason. If
 * the packed stream fails, reads throw its exception unchanged, except for {@link EOFException}.
 */
public final class DecodedStream extends ByteStream {
    private static final int BUFFER_SIZE = 64 << 10;

    private final PackedStream source;
    private final Compression compression;
    private final int memoryKib;
    private InputStream decoder = InputStream.nullInputStream();

    private DecodedStream(InputStream packed, Compression compression, int memoryKib) {
        this.source = new PackedStream(packed);
        this.compression = compression;
        this.memoryKib = memoryKib;
    }

    interface DecoderFactory {
        InputStream open(InputStream packed) throws IOException;
    }

    /**
     * Opens packed data for decoding; returns {@code packed} itself if the compression is {@code NONE}. The formats
     * gzip, bzip2, xz, lz4 frame and zstd may contain several concatenated streams, which are all decoded. For other
     * formats, the result ends with the first stream.
     *
     * @param memoryKib the most memory, in KiB, that an xz or lzma decoder may need
     * @throws IOException if the beginning is truncated or corrupt, or needs too much memory
     */
    public static InputStream open(InputStream packed, Compression compression, int memoryKib) throws IOException {
        DecodedStream stream = new DecodedStream(packed, compression, memoryKib);
        return compression == Compression.NONE ? packed : stream.start(stream::all);
    }

    /**
     * Opens exactly one compressed stream for decoding.
     *
     * @param packed a stream that supports marks; closing the result leaves {@code packed} open. If the result was read
     *     to its end, {@code packed} continues after the last byte of the compressed stream
     * @throws IOException if the beginning is truncated or corrupt, or needs too much memory; also for {@code NONE} and
     *     {@code DEFLATE}
     */
    public static InputStream openOne(InputStream packed, Compression compression, int memoryKib) throws IOException {
        DecodedStream stream = new DecodedStream(packed, compression, memoryKib);
        stream.source.staysOpen = true;
        return stream.start(stream::one);
    }

    private InputStream start(DecoderFactory opening) throws IOException {
        if (compression == Compression.ZSTD) {
            ZstdDecoder.loadLibrary();
        }
        try {
            decoder = opening.open(source);
            return this;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            throw explained(e);
        }
    }

    private InputStream all(InputStream in) throws IOException {
        return switch (compression) {
            case GZIP -> new GZIPInputStream(in, BUFFER_SIZE);
            case BZIP2 -> new BZip2CompressorInputStream(in, true);
            case XZ -> xz(in, false, this::xzInJava);
            case LZ4_FRAME -> new FramedLZ4CompressorInputStream(in, true);
            case ZSTD -> new ZstdInputStreamNoFinalizer(in);
            case DEFLATE -> new Inflated(in);
            default -> one(in);
        };
    }

    private InputStream one(InputStream in) throws IOException {
        return switch (compression) {
            case GZIP -> new GzipCompressorInputStream(in, false);
            case BZIP2 -> new BZip2CompressorInputStream(in, false);
            case LZMA -> new LZMAInputStream(in, memoryKib);
            case XZ -> xz(in, true, packed -> new SingleXZInputStream(packed, memoryKib));
            case LZO -> new LzoStream(in);
            case LZ4_LEGACY -> new Lz4LegacyStream(in);
            case LZ4_FRAME -> new FramedLZ4CompressorInputStream(in, false);
            case ZSTD -> new ZstdInputStreamNoFinalizer(new ZstdFrame(in));
            default -> throw new IllegalArgumentException(compression.id());
        };
    }

    private InputStream xz(InputStream in, boolean one, DecoderFactory java) throws IOException {
        LibLzma library = LibLzma.forBytes(in.available());
        return library == null ? java.open(in) : LibLzmaStream.open(library, in, memoryKib, one, java);
    }

    private InputStream xzInJava(InputStream in) throws IOException {
        return new XZInputStream(in, memoryKib, true, BasicArrayCache.getInstance());
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        try {
            return decoder.read(bytes, offset, length);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            // Some decoders throw an index out of range for corrupt data.
            throw explained(e);
        }
    }

    @Override
    public int available() throws IOException {
        return decoder.available();
    }

    @Override
    public void close() throws IOException {
        decoder.close();
    }

    private IOException explained(Throwable e) {
        if (e instanceof UnreadableException known) {
            return known;
        }
        IOException below = source.failure;
        return below != null ? below : new UnreadableException(reason(e), e);
    }

    private String reason(Throwable e) {
        String data = compression.id() + " data";
        if (e instanceof MemoryLimitException limit) {
            return "needs "
                    + limit.getMemoryNeeded()
                    + " KiB of memory to decode, but the limit is "
                    + memoryKib
                    + " KiB";
        }
        if (e instanceof UnsupportedOptionsException) {
            return data + " uses unsupported options";
        }
        if (e instanceof OutOfMemoryError) {
            return "not enough memory to decode " + data;
        }
        if (compression == Compression.ZSTD) {
            return "truncated or corrupt " + data;
        }
        boolean truncated = e instanceof EOFException
                || e instanceof IOException io && IoReason.of(io).startsWith("Unexpected end of");
        return (truncated ? "truncated " : "corrupt ") + data;
    }

    /**
     * An inflating stream whose {@link #close} frees the memory outside the heap. The superclass frees that memory only
     * for an inflater that it created itself.
     */
    private static final class Inflated extends InflaterInputStream {
        Inflated(InputStream packed) {
            super(packed, new Inflater(true), BUFFER_SIZE);
        }

        @Override
        public void close() throws IOException {
            super.close();
            inf.end();
        }
    }

    /**
     * A view of the packed stream that records the exception of a failed read, so that a read error is not reported as
     * corrupt data. An {@link EOFException} is not recorded, because it means truncated data.
     */
    private static final class PackedStream extends FilterInputStream {
        private @Nullable IOException failure;
        private boolean staysOpen;

        PackedStream(InputStream packed) {
            super(packed);
        }

        @Override
        public int read() throws IOException {
            try {
                return in.read();
            } catch (IOException e) {
                throw noted(e);
            }
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            try {
                return in.read(bytes, offset, length);
            } catch (IOException e) {
                throw noted(e);
            }
        }

        private IOException noted(IOException e) {
            if (!(e instanceof EOFException)) {
                failure = e;
            }
            return e;
        }

        @Override
        public void close() throws IOException {
            if (!staysOpen) {
                super.close();
            }
        }
    }

    /**
     * A decoder of lz4's legacy format, as {@code lz4 -l} writes it and the kernel reads it (lib/decompress_unlz4.c).
     * After a magic, the format has blocks of up to 8 MiB when unpacked, each preceded by its packed size (32 bits,
     * little-endian).
     *
     * <p>The format has no end mark. The decoder stops after a block of less than 8 MiB, or at a word that is not a
     * possible packed size. The decoder also stops at the size of the unpacked kernel, which follows the last block in
     * kernel images.
     */
    private static final class Lz4LegacyStream extends ByteStream {
        private static final int WORD = 4;
        private static final int BLOCK_SIZE = 8 << 20;

        /** The maximum size of a packed block of 8 MiB that does not compress (lz4.h, LZ4_COMPRESSBOUND). */
        private static final int MAX_PACKED = BLOCK_SIZE + BLOCK_SIZE / 255 + 16;

        private final InputStream in;
        private InputStream block = InputStream.nullInputStream();
        private int unpackedOfBlock = BLOCK_SIZE;
        private long unpacked;

        /** Skips the magic, which the caller has checked. The stream must support marks. */
        Lz4LegacyStream(InputStream in) throws IOException {
            this.in = in;
            in.skipNBytes(WORD);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            int count = block.read(bytes, offset, length);
            while (count < 0) {
                if (unpackedOfBlock < BLOCK_SIZE || !openBlock()) {
                    return -1;
                }
                count = block.read(bytes, offset, length);
            }
            unpackedOfBlock += count;
            unpacked += count;
            if (unpackedOfBlock > BLOCK_SIZE) {
                throw new UnreadableException("corrupt lz4 data: a block of more than 8 MiB");
            }
            return count;
        }

        private boolean openBlock() throws IOException {
            in.mark(WORD);
            byte[] word = in.readNBytes(WORD);
            long size = word.length < WORD ? 0 : LittleEndian.u32(word, 0);
            if (size == 0 || size > MAX_PACKED || size == unpacked) {
                in.reset();
                return false;
            }
            byte[] packed = in.readNBytes((int) size);
            if (packed.length < size) {
                throw new EOFException();
            }
            block = new BlockLZ4CompressorInputStream(new ByteArrayInputStream(packed));
            unpackedOfBlock = 0;
            return true;
        }
    }

    /**
     * The packed bytes of exactly one Zstandard frame (RFC 8878, 3.1.1). The decoder reads ahead, and would otherwise
     * consume bytes after the frame, such as the next archive of an initramfs.
     */
    private static final class ZstdFrame extends ByteStream {
        private static final int MAGIC_LENGTH = 4;
        private static final int CHECKSUM_LENGTH = 4;
        private static final int BLOCK_HEADER_LENGTH = 3;
        private static final int BLOCK_RLE = 1;
        private static final int BLOCK_RESERVED = 3;

        private static final int[] DICTIONARY_ID_LENGTHS = {0, 1, 2, 4};
        private static final int[] CONTENT_SIZE_LENGTHS = {0, 2, 4, 8};

        private final InputStream in;
        private final boolean checksum;

        /**
         * The header that was parsed last. The decoder has not yet read the header's bytes from {@code headerOffset}
         * on.
         */
        private byte[] header;

        private int headerOffset;

        private long left;

        private boolean lastBlockSeen;
        private boolean checksumSeen;

        ZstdFrame(InputStream in) throws IOException {
            this.in = in;
            header = require(MAGIC_LENGTH + 1);
            int descriptor = header[MAGIC_LENGTH];
            boolean singleSegment = (descriptor >> 5 & 1) != 0;
            int contentSize = CONTENT_SIZE_LENGTHS[descriptor >> 6 & 3];
            if (singleSegment && contentSize == 0) {
                contentSize = 1;
            }
            left = (singleSegment ? 0 : 1) + DICTIONARY_ID_LENGTHS[descriptor & 3] + contentSize;
            checksum = (descriptor >> 2 & 1) != 0;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            if (length == 0) {
                return 0;
            }
            while (headerOffset == header.length && left == 0) {
                if (!nextPart()) {
                    return -1;
                }
            }
            if (headerOffset < header.length) {
                int count = Math.min(length, header.length - headerOffset);
                System.arraycopy(header, headerOffset, bytes, offset, count);
                headerOffset += count;
                return count;
            }
            int count = in.read(bytes, offset, (int) Math.min(length, left));
            if (count < 0) {
                throw new EOFException();
            }
            left -= count;
            return count;
        }

        private boolean nextPart() throws IOException {
            if (!lastBlockSeen) {
                nextBlock();
                return true;
            }
            if (!checksum || checksumSeen) {
                return false;
            }
            checksumSeen = true;
            left = CHECKSUM_LENGTH;
            return true;
        }

        private void nextBlock() throws IOException {
            header = require(BLOCK_HEADER_LENGTH);
            headerOffset = 0;
            int value = header[0] & 0xff | (header[1] & 0xff) << 8 | (header[2] & 0xff) << 16;
            lastBlockSeen = (value & 1) != 0;
            int type = value >> 1 & 3;
            if (type == BLOCK_RESERVED) {
                throw new UnreadableException("corrupt zstd data: a block of no known type");
            }
            left = type == BLOCK_RLE ? 1 : value >> 3;
        }

        private byte[] require(int count) throws IOException {
            byte[] bytes = in.readNBytes(count);
            if (bytes.length < count) {
                throw new EOFException();
            }
            return bytes;
        }
    }
}
