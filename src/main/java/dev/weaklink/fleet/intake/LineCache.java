package dev.weaklink.fleet.intake;

import dev.weaklink.sys.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A cache of parsed lines. Most nodes of a cluster report lines that are equal except for the node's name, and equal
 * bytes need not be parsed again.
 */
final class LineCache {
    private static final byte[] BEGINNING =
            "{\"schema\":\"weaklink.node/1\",\"node\":\"".getBytes(StandardCharsets.US_ASCII);

    /**
     * The maximum total size of the lines that are kept whole, an eighth of the heap. Further lines are kept as
     * digests, which save memory but take longer to compare.
     */
    private static final long MAX_KEPT = Runtime.getRuntime().maxMemory() / 8;

    private static final int MAX_LINES = 1 << 18;

    private final Map<Long, CachedLine> lines = new HashMap<>();
    private final long maxKept;
    private long kept;

    LineCache() {
        this(MAX_KEPT);
    }

    LineCache(long maxKept) {
        this.maxKept = maxKept;
    }

    /**
     * A cached line without the part up to the end of its node's name.
     *
     * @param rest the bytes from the end of the name on, or their SHA-256 digest
     */
    private record CachedLine(byte[] rest, boolean isDigest, NodeLine line) {
        boolean isOf(byte[] bytes, int start, int end) {
            return isDigest
                    ? Arrays.equals(rest, sha256(bytes, start, end))
                    : Arrays.equals(rest, 0, rest.length, bytes, start, end);
        }
    }

    @Nullable
    NodeLine find(byte[] bytes, int offset, int length) {
        int end = endOfName(bytes, offset, length);
        CachedLine known = lines.isEmpty() ? null : lines.get(key(bytes, end, offset + length));
        if (known == null || !known.isOf(bytes, end, offset + length)) {
            return null;
        }
        return new NodeLine(name(bytes, offset, end), known.line.inventory(), known.line.length(), offset + length);
    }

    void keep(byte[] bytes, int offset, int length, NodeLine line) {
        int end = endOfName(bytes, offset, length);
        int size = offset + length - end;
        long key = key(bytes, end, offset + length);
        if (end == offset || lines.size() == MAX_LINES || lines.containsKey(key)) {
            return;
        }
        boolean isDigest = size > maxKept - kept;
        byte[] rest = isDigest ? sha256(bytes, end, offset + length) : Arrays.copyOfRange(bytes, end, offset + length);
        lines.put(key, new CachedLine(rest, isDigest, line));
        kept += isDigest ? 0 : size;
    }

    private static @Nullable String name(byte[] bytes, int offset, int end) {
        int start = offset + BEGINNING.length;
        return end == offset ? null : new String(bytes, start, end - start, StandardCharsets.US_ASCII);
    }

    /**
     * Returns the end of the node's name, where the cached part of the line begins. Returns {@code offset} if there is
     * no name, or if the name needs decoding; such a line is neither cached nor found.
     */
    private static int endOfName(byte[] bytes, int offset, int length) {
        int start = offset + BEGINNING.length;
        int limit = offset + length;
        if (length <= BEGINNING.length || !Arrays.equals(bytes, offset, start, BEGINNING, 0, BEGINNING.length)) {
            return offset;
        }
        int at = start;
        while (at < limit && bytes[at] != '"') {
            if (bytes[at] < ' ' || bytes[at] == '\\') {
                return offset;
            }
            at++;
        }
        return at < limit ? at : offset;
    }

    private static byte[] sha256(byte[] bytes, int start, int end) {
        MessageDigest digest = Sha256.start();
        digest.update(bytes, start, end - start);
        return digest.digest();
    }

    private static long key(byte[] bytes, int start, int end) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, start, end - start);
        return crc.getValue() << 31 ^ end - start;
    }
}
