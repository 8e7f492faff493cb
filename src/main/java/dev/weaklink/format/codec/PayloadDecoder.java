package dev.weaklink.format.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import dev.weaklink.sys.UnreadableException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A decoder of the compressed payload in a kernel image: exactly one stream, whose end the decoder finds. Apart from
 * the packed bytes, decoding needs memory for at most 1.5 times the limit of decoded bytes. Decoding xz or lzma needs
 * memory for this limit and a dictionary.
 */
public final class PayloadDecoder {
    /** The usual compression ratio of kernels, used to estimate an unknown size. */
    private static final int USUAL_RATIO = 6;

    /**
     * The memory limit of the decoder in KiB: a dictionary of 128 MiB (scripts/xz_wrap.sh, 6.12+) and some space for
     * the decoder itself.
     */
    private static final int MEMORY_KIB = 132 << 10;

    private final Compression compression;
    private final int limit;
    private final byte[] data;
    private final int offset;
    private final int length;
    private final GrowingBuffer out;

    private PayloadDecoder(byte[] data, int offset, int length, Compression compression, int limit) {
        this.data = data;
        this.offset = offset;
        this.length = length;
        this.compression = compression;
        this.limit = limit;
        this.out = new GrowingBuffer(limit);
    }

    /**
     * The decoded bytes.
     *
     * @param bytes the array, of which only the first {@code length} bytes are valid
     * @param length the number of decoded bytes
     */
    @SuppressWarnings("ArrayRecordComponent")
    public record Decoded(byte[] bytes, int length) {}

    /**
     * Decodes the stream at the start of a range of bytes.
     *
     * @param compression the compression of the stream
     * @param expected the unpacked size that the image records, 0 if the image records none
     * @param limit the most bytes to which the stream may decode
     * @throws IOException if the stream is truncated or corrupt, needs too much memory, or decodes to more than the
     *     limit or to another size than expected; the message is the reason
     */
    public static Decoded decode(byte[] data, int offset, int length, Compression compression, long expected, int limit)
            throws IOException {
        if (expected > limit) {
            throw tooLong(limit);
        }
        // One extra byte of room shows whether the stream is longer than expected.
        int most = expected > 0 ? (int) expected + 1 : limit;
        PayloadDecoder decoder = new PayloadDecoder(data, offset, length, compression, most);
        decoder.out.reserve(expected > 0 ? most : decoder.guess());
        decoder.decode();
        if (expected > 0 && decoder.out.length() != expected) {
            throw new UnreadableException(
                    "corrupt " + compression.id() + " data: the unpacked size is not the size that the image records");
        }
        return new Decoded(decoder.out.array(), decoder.out.length());
    }

    /**
     * Opens the stream at the start of a range of bytes. The caller must close the returned stream.
     *
     * @throws IOException as {@link DecodedStream#openOne}
     */
    public static InputStream open(byte[] data, int offset, int length, Compression compression) throws IOException {
        return DecodedStream.openOne(new ByteArrayInputStream(data, offset, length), compression, MEMORY_KIB);
    }

    public static boolean isTooLong(IOException failure) {
        return String.valueOf(failure.getMessage()).startsWith(GrowingBuffer.TOO_LONG);
    }

    /**
     * Returns the initial size of the buffer if the unpacked size is unknown. For xz and lzma, the result is the limit,
     * so that the buffer never grows: their decoders also need memory for a large dictionary.
     */
    private long guess() {
        return switch (compression) {
            case XZ, LZMA -> limit;
            default -> Math.min((long) length * USUAL_RATIO, limit / 2);
        };
    }

    private void decode() throws IOException {
        if (compression == Compression.ZSTD) {
            decodeZstd();
            return;
        }
        try (InputStream stream = open(data, offset, length, compression)) {
            int count = 0;
            while (count >= 0) {
                if (out.length() == limit) {
                    requireEnd(stream);
                    return;
                }
                out.grow();
                count = stream.read(out.array(), out.length(), Math.min(out.room(), limit - out.length()));
                out.advance(Math.max(count, 0));
            }
        }
    }

    private void requireEnd(InputStream stream) throws IOException {
        if (stream.read() >= 0) {
            throw tooLong(limit);
        }
    }

    /** Decodes in one piece, because a stream would also need a window of up to 128 MiB. */
    private void decodeZstd() throws UnreadableException {
        ZstdDecoder.loadLibrary();
        try (ZstdDecompressCtx context = new ZstdDecompressCtx()) {
            int frame = frameLength();
            int count = decompress(context, frame);
            if (count < 0) {
                out.reserve(limit);
                count = decompress(context, frame);
            }
            if (count < 0) {
                throw tooLong(limit);
            }
            out.advance(count);
        }
    }

    private int frameLength() throws UnreadableException {
        try {
            long frame = Zstd.findFrameCompressedSize(data, offset, length);
            if (frame > 0 && frame <= length) {
                return (int) frame;
            }
            throw new UnreadableException("truncated or corrupt zstd data");
        } catch (ZstdException e) {
            throw new UnreadableException("truncated or corrupt zstd data", e);
        }
    }

    /** Returns the number of decoded bytes, or -1 if the buffer is too small. */
    private int decompress(ZstdDecompressCtx context, int frame) throws UnreadableException {
        try {
            return context.decompressByteArray(out.array(), 0, out.array().length, data, offset, frame);
        } catch (ZstdException e) {
            if (e.getErrorCode() == Zstd.errDstSizeTooSmall()) {
                return -1;
            }
            throw new UnreadableException("truncated or corrupt zstd data", e);
        }
    }

    private static UnreadableException tooLong(int limit) {
        return new UnreadableException(GrowingBuffer.TOO_LONG + limit + " bytes");
    }
}
