package dev.weaklink.fleet.intake;

import dev.weaklink.sys.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
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
     * The maximum number of bytes of lines that are kept whole, an eighth of the heap. Of further lines, the oldest
     * lines that no node has repeated are kept as digests, to save memory. Without HotSpot's C2 compiler, computing a
     * digest takes ten times as long as comparing bytes.
     */
    private static final long MAX_KEPT = Runtime.getRuntime().maxMemory() / 8;

    private static final int MAX_LINES = 1 << 18;

    private final Map<Long, CachedLine> lines = new HashMap<>();
    private final long maxKept;
    private long kept;

    /**
     * The lines that were kept whole, the oldest first, without the lines that were already considered for a digest.
     */
    private final Queue<CachedLine> whole = new ArrayDeque<>();

    LineCache() {
        this(MAX_KEPT);
    }

    LineCache(long maxKept) {
        this.maxKept = maxKept;
    }

    /** A cached line without the part up to the end of its node's name. */
    private static final class CachedLine {
        /** The bytes from the end of the name on, or their SHA-256 digest. */
        private byte[] rest;

        private boolean isDigest;
        private boolean isRepeated;
        private final NodeLine line;

        CachedLine(byte[] rest, boolean isDigest, NodeLine line) {
            this.rest = rest;
            this.isDigest = isDigest;
            this.line = line;
        }

        boolean isOf(byte[] bytes, int start, int end) {
            return isDigest
                    ? Arrays.equals(rest, sha256(bytes, start, end))
                    : Arrays.equals(rest, 0, rest.length, bytes, start, end);
        }

        /** Keeps the digest instead of the bytes; returns the number of bytes. */
        int shrink() {
            int size = rest.length;
            rest = sha256(rest, 0, size);
            isDigest = true;
            return size;
        }
    }

    @Nullable
    NodeLine find(byte[] bytes, int offset, int length) {
        int end = endOfName(bytes, offset, length);
        CachedLine known = lines.isEmpty() ? null : lines.get(key(bytes, end, offset + length));
        if (known == null || !known.isOf(bytes, end, offset + length)) {
            return null;
        }
        known.isRepeated = true;
        return new NodeLine(name(bytes, offset, end), known.line.inventory(), known.line.length(), offset + length);
    }

    void keep(byte[] bytes, int offset, int length, NodeLine line) {
        int end = endOfName(bytes, offset, length);
        int size = offset + length - end;
        long key = key(bytes, end, offset + length);
        if (end == offset || lines.size() == MAX_LINES || lines.containsKey(key)) {
            return;
        }
        makeRoom(size);
        CachedLine added;
        if (size > maxKept - kept) {
            added = new CachedLine(sha256(bytes, end, offset + length), true, line);
        } else {
            added = new CachedLine(Arrays.copyOfRange(bytes, end, offset + length), false, line);
            kept += size;
            whole.add(added);
        }
        lines.put(key, added);
    }

    private void makeRoom(int size) {
        while (size <= maxKept && size > maxKept - kept && !whole.isEmpty()) {
            CachedLine oldest = whole.remove();
            kept -= oldest.isRepeated ? 0 : oldest.shrink();
        }
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
