package dev.weaklink.system.cache;

import dev.weaklink.system.cache.FactsCache.SystemClock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The location of the cache of the user who runs weaklink. With {@code --root}, the cache is never inside that
 * directory.
 */
public final class CachePlace {
    public static final String VARIABLE = "WEAKLINK_CACHE";

    private static final String OFF = "off";
    private static final String FACTS = "facts";
    private static final int ROOT = 0;
    private static final int MOST_OF_AN_INDEX = 1 << 20;
    private static final int NO_INDEX = 0;

    private CachePlace() {}

    /**
     * Opens the cache that the environment selects. If the cache is turned off or cannot be used, returns a cache that
     * stores nothing.
     *
     * @param image the root directory to work on, null for the running system. With another root directory, facts are
     *     only cached if {@code WEAKLINK_CACHE} names a directory outside of that root directory
     */
    public static FactsCache open(Map<String, String> environment, @Nullable Path image) {
        try {
            long program = program(System.getProperty("java.class.path", ""));
            if (program == NO_INDEX || OFF.equals(environment.get(VARIABLE))) {
                return FactsCache.NONE;
            }
            int user = (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            boolean isNamed = !environment.getOrDefault(VARIABLE, "").isEmpty();
            Path directory = image == null || isNamed ? directory(environment, user) : null;
            return directory == null || image != null && isIn(image, directory)
                    ? FactsCache.NONE
                    : FactsCache.in(directory.resolve(FACTS), user, program, new SystemClock());
        } catch (IOException | UnsupportedOperationException | InvalidPathException e) {
            return FactsCache.NONE;
        }
    }

    static @Nullable Path directory(Map<String, String> environment, int user) {
        String given = environment.get(VARIABLE);
        if (given != null && !given.isEmpty()) {
            return absolute(given);
        }
        if (user == ROOT) {
            return Path.of("/var/cache/weaklink");
        }
        Path base = absolute(environment.getOrDefault("XDG_CACHE_HOME", ""));
        Path home = absolute(environment.getOrDefault("HOME", ""));
        if (base == null) {
            base = home == null ? null : home.resolve(".cache");
        }
        return base == null ? null : base.resolve("weaklink");
    }

    /**
     * Returns whether a directory, which need not exist yet, is inside this root directory. Returns false for the root
     * directory of the running system.
     */
    static boolean isIn(Path image, Path directory) throws IOException {
        Path top = image.toRealPath();
        Path there = directory;
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        return top.getParent() != null && there.toRealPath().startsWith(top);
    }

    private static @Nullable Path absolute(String text) {
        return text.startsWith("/") ? Path.of(text) : null;
    }

    /**
     * Returns a digest of all files in the program's jar. The digest is computed from the jar's index, which contains
     * the CRC-32 of every entry. Returns 0 if the program does not run from a single jar, or the index cannot be found.
     */
    static long program(String classPath) throws IOException {
        if (!classPath.endsWith(".jar") || classPath.indexOf(':') >= 0) {
            return NO_INDEX;
        }
        try (RandomAccessFile jar = new RandomAccessFile(classPath, "r")) {
            byte[] end = new byte[(int) Math.min(jar.length(), MOST_OF_AN_INDEX)];
            jar.seek(jar.length() - end.length);
            jar.readFully(end);
            return digest(end, jar.length());
        }
    }

    /**
     * Digests the jar's index, the central directory of a ZIP file. The record at the file's end contains the index's
     * size at offset 12 and the index's offset at 16.
     */
    private static long digest(byte[] end, long jarLength) {
        int record = end.length - 22;
        if (record < 0 || u32(end, record) != 0x06054b50L) {
            return NO_INDEX;
        }
        long size = u32(end, record + 12);
        if (size == 0 || size > record || u32(end, record + 16) + size != jarLength - 22) {
            return NO_INDEX;
        }
        int start = (int) (record - size);
        CRC32 one = new CRC32();
        one.update(end, start, (int) size);
        CRC32C other = new CRC32C();
        other.update(end, start, (int) size);
        return one.getValue() << 32 | other.getValue();
    }

    private static long u32(byte[] data, int at) {
        return (data[at] & 0xffL)
                | (data[at + 1] & 0xffL) << 8
                | (data[at + 2] & 0xffL) << 16
                | (data[at + 3] & 0xffL) << 24;
    }
}
