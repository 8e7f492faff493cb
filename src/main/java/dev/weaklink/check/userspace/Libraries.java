package dev.weaklink.check.userspace;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The shared libraries of a root, found as ld.so(8) finds them: in the cache of ldconfig(8), then in the default
 * directories. A root without a cache, such as a directory of unpacked packages, is searched along /etc/ld.so.conf
 * instead, as ldconfig would.
 */
final class Libraries {
    private static final int MOST_BYTES = 64 << 20;

    private static final int CONFIG_LIMIT = 1 << 20;
    private static final int MOST_INCLUDES = 100;
    private static final List<String> DEFAULT = List.of("/lib64", "/usr/lib64", "/lib", "/usr/lib");

    /**
     * A part of the names of Debian's multiarch directories, such as /lib/x86_64-linux-gnu, which are searched even if
     * no configuration lists them.
     */
    private static final String MULTIARCH = "-linux-gnu";

    private final Root root;
    private final RootText text;
    private final Set<String> directories = new LinkedHashSet<>();
    private final Map<String, Library> read = new HashMap<>();
    private final @Nullable Map<String, List<String>> cache;
    private final Set<String> defaults = new LinkedHashSet<>(DEFAULT);

    /**
     * A file with the name of a shared library.
     *
     * @param inside the path in the root, with links followed
     * @param contents the parsed library; null if the file cannot be read
     * @param reason the reason why the file cannot be read; empty if it can be read
     */
    record Library(String inside, @Nullable SharedLibrary contents, String reason) {}

    Libraries(Root root) {
        this.root = root;
        this.text = new RootText(root);
        addConfigured("/etc/ld.so.conf", new ArrayList<>());
        cache = LinkerCache.read(root);
        for (String parent : List.of("/lib", "/usr/lib")) {
            for (String name : text.names(parent)) {
                if (name.contains(MULTIARCH)) {
                    defaults.add(parent + "/" + name);
                }
            }
        }
        directories.addAll(defaults);
    }

    private void addConfigured(String file, List<String> seen) {
        if (seen.size() == MOST_INCLUDES || seen.contains(file)) {
            return;
        }
        seen.add(file);
        for (String line : text.read(file, CONFIG_LIMIT).split("\n", -1)) {
            String entry = line.replaceFirst("#.*", "").strip();
            if (entry.startsWith("include") && entry.length() > 8) {
                include(entry.substring("include".length()).strip(), file, seen);
            } else if (entry.startsWith("/")) {
                directories.add(entry.length() > 1 ? entry.replaceFirst("/+$", "") : entry);
            }
        }
    }

    private void include(String pattern, String from, List<String> seen) {
        String full = pattern.startsWith("/") ? pattern : parent(from) + "/" + pattern;
        PathMatcher matcher;
        try {
            matcher = FileSystems.getDefault().getPathMatcher("glob:" + full);
        } catch (IllegalArgumentException e) {
            return;
        }
        for (String name : text.names(parent(full))) {
            String file = parent(full) + "/" + name;
            if (matcher.matches(Path.of(file))) {
                addConfigured(file, seen);
            }
        }
    }

    static String parent(String path) {
        return path.substring(0, Math.max(path.lastIndexOf('/'), 0));
    }

    Set<String> directories() {
        return directories;
    }

    /**
     * Finds the library that ld.so loads for a name.
     *
     * @param first directories that are searched before all others
     * @param like the identity of the loading library; libraries for other machines are skipped; null accepts any
     *     machine
     * @return null if no library is found
     */
    @Nullable
    Library find(String name, List<String> first, @Nullable ElfIdentity like) {
        if (name.contains("/")) {
            return open(name);
        }
        Set<String> order = new LinkedHashSet<>();
        first.forEach(directory -> order.add(directory + "/" + name));
        if (cache != null) {
            order.addAll(cache.getOrDefault(name, List.of()));
        }
        for (String directory : cache == null ? directories : defaults) {
            order.add(directory + "/" + name);
        }
        for (String path : order) {
            Library library = open(path);
            if (library != null && fits(library, like)) {
                return library;
            }
        }
        return null;
    }

    private static boolean fits(Library library, @Nullable ElfIdentity like) {
        SharedLibrary contents = library.contents();
        return contents == null || like == null || sameMachine(contents.identity(), like);
    }

    /**
     * Returns whether both libraries are for the same machine, class and byte order. The C library also compares
     * e_flags; this method does not.
     */
    static boolean sameMachine(ElfIdentity one, ElfIdentity other) {
        return one.machine() == other.machine()
                && one.is64() == other.is64()
                && one.littleEndian() == other.littleEndian();
    }

    @Nullable
    Library open(String inside) {
        try {
            Path host = root.resolve(inside);
            if (!Files.isRegularFile(host)) {
                return null;
            }
            String found = root.inside(root.isHost() ? host.toRealPath() : host);
            Library known = read.get(found);
            if (known == null) {
                known = read(host, found);
                read.put(found, known);
            }
            return known;
        } catch (IOException e) {
            return null;
        }
    }

    private static Library read(Path host, String inside) {
        try {
            return new Library(inside, SharedLibraryReader.read(bytes(host)), "");
        } catch (IOException e) {
            return new Library(inside, null, IoReason.of(e));
        }
    }

    static byte[] bytes(Path host) throws IOException {
        if (RegularFile.size(host) > MOST_BYTES) {
            throw new IOException("larger than 64 MiB");
        }
        try (InputStream in = RegularFile.open(host)) {
            return in.readNBytes(MOST_BYTES);
        }
    }

    /**
     * The paths of libraries by name in {@code /etc/ld.so.cache} (glibc elf/cache.c, sysdeps/generic/dl-cache.h: struct
     * cache_file_new, from glibc 2.2 on). Variants for particular processors (hwcaps) are skipped, because the cache
     * also lists the general library.
     */
    private static final class LinkerCache {
        private static final String FILE = "/etc/ld.so.cache";
        private static final int LIMIT = 16 << 20;
        private static final byte[] MAGIC = bytes("glibc-ld.so.cache1.1");

        /** The magic of the older format, whose entries precede those of the new format in caches up to glibc 2.31. */
        private static final byte[] OLD_MAGIC = bytes("ld.so-1.7.0\0");

        private static final int OLD_HEADER = 16;
        private static final int OLD_ENTRY = 12;
        private static final int HEADER = 48;
        private static final int ENTRY = 24;
        private static final int BIG_ENDIAN = 3;

        private LinkerCache() {}

        private static byte[] bytes(String text) {
            return text.getBytes(StandardCharsets.US_ASCII);
        }

        /**
         * Returns the paths by name, in the order of the cache; null if the root has no readable cache. ld.so then uses
         * no cache either.
         */
        static @Nullable Map<String, List<String>> read(Root root) {
            try (InputStream in = RegularFile.open(root.resolve(FILE))) {
                return read(ByteBuffer.wrap(in.readNBytes(LIMIT)));
            } catch (IOException | IndexOutOfBoundsException e) {
                return null;
            }
        }

        private static @Nullable Map<String, List<String>> read(ByteBuffer file) {
            int start = 0;
            if (startsWith(file, OLD_MAGIC)) {
                long end = OLD_HEADER
                        + OLD_ENTRY * (long) file.order(ByteOrder.nativeOrder()).getInt(12);
                start = (int) Math.min((end + 7) & -8, file.limit());
            }
            ByteBuffer cache = file.slice(start, file.limit() - start);
            if (!startsWith(cache, MAGIC)) {
                return null;
            }
            cache.order((cache.get(28) & 3) == BIG_ENDIAN ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
            int count = cache.getInt(MAGIC.length);
            if (count < 0 || count > (cache.limit() - HEADER) / ENTRY) {
                return null;
            }
            Map<String, List<String>> paths = new HashMap<>();
            long left = 4L * cache.limit();
            for (int at = HEADER; count-- > 0; at += ENTRY) {
                if (cache.getLong(at + 16) == 0) {
                    String name = text(cache, cache.getInt(at + 4));
                    String path = text(cache, cache.getInt(at + 8));
                    left -= name.length() + path.length();
                    if (left < 0) {
                        // strings that overlap: ldconfig writes none
                        return null;
                    }
                    paths.computeIfAbsent(name, any -> new ArrayList<>()).add(path);
                }
            }
            return paths;
        }

        private static boolean startsWith(ByteBuffer bytes, byte[] magic) {
            return bytes.limit() >= magic.length && bytes.slice(0, magic.length).equals(ByteBuffer.wrap(magic));
        }

        private static String text(ByteBuffer cache, int from) {
            byte[] text = new byte[4096];
            int length = 0;
            while (length < text.length && cache.get(from + length) != 0) {
                text[length] = cache.get(from + length);
                length++;
            }
            return new String(text, 0, length, StandardCharsets.UTF_8);
        }
    }
}
