package dev.weaklink.format.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import dev.weaklink.format.codec.Compression.LittleEndian;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The first compressed stream of a file. The kernel unpacks only the first stream
 * (kernel/module/decompress.c:module_xz_decompress, module_zstd_decompress, module_gzip_decompress), while kmod unpacks
 * all concatenated streams.
 */
final class FirstStream {
    /** The length in bytes of an xz stream's header, and also of its footer. */
    private static final int XZ_HEADER = 12;

    /** The position of the field Backward Size, in bytes before the end of an xz stream. */
    private static final int XZ_INDEX_SIZE = 8;

    /** The position of the field ISIZE, in bytes before the end of a gzip member. */
    private static final int GZIP_SIZE = 4;

    private static final int CHUNK = 8192;

    private final byte[] file;
    private final int length;
    private int at;

    private FirstStream(byte[] file, int length) {
        this.file = file;
        this.length = length;
    }

    /**
     * Returns whether the first stream contains all decoded bytes of the file. Formats other than gzip, xz and zstd
     * count as having one stream.
     *
     * @param file a file that was decoded without an error
     * @param unpacked the number of decoded bytes of all streams
     */
    static boolean containsAll(byte[] file, int length, Compression compression, int unpacked, int memoryKib)
            throws IOException {
        FirstStream stream = new FirstStream(file, length);
        boolean isOnly = switch (compression) {
            case XZ -> stream.isOnlyXz();
            case ZSTD -> stream.isOnlyZstd();
            case GZIP ->
                LittleEndian.u32(file, length - GZIP_SIZE) == unpacked && stream.decoded(compression, 1, 0) > 0;
            default -> true;
        };
        return isOnly || stream.decoded(compression, unpacked + 1L, memoryKib) == unpacked;
    }

    /**
     * Returns whether the file is a single xz stream: the blocks that the last index lists fill the file between the
     * first header and that index.
     */
    private boolean isOnlyXz() {
        if (length < 2 * XZ_HEADER || file[length - 2] != 'Y' || file[length - 1] != 'Z') {
            return false;
        }
        long indexSize = (LittleEndian.u32(file, length - XZ_INDEX_SIZE) + 1) * 4;
        long index = length - XZ_HEADER - indexSize;
        if (index < XZ_HEADER) {
            return false;
        }
        at = (int) index + 1;
        long blocks = 0;
        for (long records = number(); records > 0 && at < length; records--) {
            blocks += number() + 3 & ~3L;
            number();
        }
        return index - blocks == XZ_HEADER;
    }

    /** Reads an integer of the xz format: seven bits in each byte, the lowest first. */
    private long number() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE - 1 && at < length; shift += 7) {
            int next = file[at++];
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                break;
            }
        }
        return value;
    }

    private boolean isOnlyZstd() {
        try {
            return Zstd.findFrameCompressedSize(file, 0, length) == length;
        } catch (ZstdException e) {
            return false;
        }
    }

    /**
     * Decodes the first stream to its end, or until at least {@code limit} bytes are decoded. Returns the number of
     * decoded bytes.
     */
    private long decoded(Compression compression, long limit, int memoryKib) throws IOException {
        InputStream packed = new ByteArrayInputStream(file, 0, length);
        try (InputStream first = DecodedStream.openOne(packed, compression, memoryKib)) {
            long count = 0;
            byte[] chunk = new byte[(int) Math.min(limit, CHUNK)];
            for (int read = 0; read >= 0 && count < limit; read = first.read(chunk)) {
                count += read;
            }
            return count;
        }
    }
}
