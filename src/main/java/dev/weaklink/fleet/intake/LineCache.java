package dev.weaklink.fleet.intake;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Lines that were read before. Most nodes of a cluster report the same, but for their names: what is equal byte for
 * byte need not be parsed again.
 */
final class LineCache {
    /** What the collector begins every line with that has a name. */
    private static final byte[] BEGINNING =
            "{\"schema\":\"weaklink.node/1\",\"node\":\"".getBytes(StandardCharsets.US_ASCII);

    /** In bytes; lines beyond are parsed. */
    private static final long MAX_KEPT = 64 << 20;

    private final Map<Long, Known> lines = new HashMap<>();
    private long kept;

    /** A line, and where its name ends; {@code rest} is what follows that. */
    private record Known(byte[] rest, NodeLine line) {}

    /** What a line reports, null if none like it was read before. */
    @Nullable
    NodeLine find(byte[] bytes, int offset, int length) {
        int end = endOfName(bytes, offset, length);
        Known known = lines.isEmpty() ? null : lines.get(key(bytes, end, offset + length));
        if (known == null
                || !Arrays.equals(known.rest, 0, known.rest.length, bytes, end, Math.max(end, offset + length))) {
            return null;
        }
        return new NodeLine(name(bytes, offset, end), known.line.inventory(), known.line.length(), offset + length);
    }

    /** Keeps a line that was parsed, if it has a name. */
    void keep(byte[] bytes, int offset, int length, NodeLine line) {
        int end = endOfName(bytes, offset, length);
        int size = offset + length - end;
        if (end == offset || size > MAX_KEPT - kept) {
            return;
        }
        byte[] rest = Arrays.copyOfRange(bytes, end, offset + length);
        if (lines.putIfAbsent(key(bytes, end, offset + length), new Known(rest, line)) == null) {
            kept += size;
        }
    }

    private static @Nullable String name(byte[] bytes, int offset, int end) {
        int start = offset + BEGINNING.length;
        return end == offset ? null : new String(bytes, start, end - start, StandardCharsets.US_ASCII);
    }

    /**
     * Where the name ends of a line that begins as usual; the line's beginning if it does not, or if the name has
     * anything that would have to be decoded. One that ends elsewhere begins with a quote and so is never equal to a
     * whole line, which begins with a brace.
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
