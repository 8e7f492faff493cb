package dev.weaklink.fleet.intake;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A cache of parsed lines. Most nodes of a cluster report the same except for their names, and equal bytes need not be
 * parsed again.
 */
final class LineCache {
    /** The start of every line of the collector that has a name. */
    private static final byte[] BEGINNING =
            "{\"schema\":\"weaklink.node/1\",\"node\":\"".getBytes(StandardCharsets.US_ASCII);

    /** The limit in bytes of cached lines; further lines are parsed. */
    private static final long MAX_KEPT = 64 << 20;

    private final Map<Long, CachedLine> lines = new HashMap<>();
    private long kept;

    /** A cached line without the part up to its name. */
    private record CachedLine(byte[] rest, NodeLine line) {}

    /** Returns the contents of a line if an equal one was cached, or null. */
    @Nullable
    NodeLine find(byte[] bytes, int offset, int length) {
        int end = endOfName(bytes, offset, length);
        CachedLine known = lines.isEmpty() ? null : lines.get(key(bytes, end, offset + length));
        if (known == null
                || !Arrays.equals(known.rest, 0, known.rest.length, bytes, end, Math.max(end, offset + length))) {
            return null;
        }
        return new NodeLine(name(bytes, offset, end), known.line.inventory(), known.line.length(), offset + length);
    }

    /** Caches a parsed line if it has a name. */
    void keep(byte[] bytes, int offset, int length, NodeLine line) {
        int end = endOfName(bytes, offset, length);
        int size = offset + length - end;
        if (end == offset || size > MAX_KEPT - kept) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(bytes, end, offset + length);
        if (lines.putIfAbsent(key(bytes, end, offset + length), new CachedLine(rest, line)) == null) {
            kept += size;
        }
    }

    private static @Nullable String name(byte[] bytes, int offset, int end) {
        int start = offset + BEGINNING.length;
        return end == offset ? null : new String(bytes, start, end - start, StandardCharsets.US_ASCII);
    }

    /**
     * Returns the end of the name in a line that starts as usual; the line's start if there is no name, or the name
     * needs decoding. The rest after a name starts with a quote, and so never equals a whole line, which starts with a
     * brace.
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

    private static long key(byte[] bytes, int start, int end) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, start, end - start);
        return crc.getValue() << 31 ^ end - start;
    }
}
