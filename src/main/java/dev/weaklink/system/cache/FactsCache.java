package dev.weaklink.system.cache;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ExportTableBuilder;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.kernel.LoaderTraces;
import dev.weaklink.kernel.LoaderTraces.LoaderTrace;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.image.KernelImage.ImageTypes;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.cache.PackageFacts.PackageFactsWriter;
import dev.weaklink.system.cache.PackageSegment.FileSegment;
import java.io.IOException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache of facts about modules, packages and kernel images. The cache never fails. An unreadable, untrusted or
 * damaged entry counts as missing, and facts that cannot be written are read again in the next run.
 */
public final class FactsCache {
    public static final FactsCache NONE = new FactsCache(null, 0, new SystemClock(), false);

    private static final FileIdentity NO_FILE = new FileIdentity(0, 0, 0, 0, 0);
    private static final long LIMIT = 256L << 20;
    private static final int LARGEST = 64 << 20;

    /**
     * The minimum number of uncompressed module files for which reading cached facts is faster than reading the files.
     */
    private static final int WORTH_A_SEGMENT = 48;

    /**
     * The only user for whom trusted keys and signature checks are cached, because other users could forge their own
     * caches.
     */
    private static final int SUPERUSER = 0;

    private static final String MODULES = "/lib/modules/";

    // The suffixes of cache entries for a file; entries for a directory have paths that end with a slash.
    private static final String PACKAGE = "!";
    private static final String CERTIFICATES = "#";
    private static final String EVIDENCE = "+";
    private static final String TYPES = "?";

    private final @Nullable CacheDirectory directory;
    private final long program;
    private final LongSupplier clock;
    private final boolean keepsTrust;
    private final Map<String, DirectoryCache> shelves = new HashMap<>();

    private FactsCache(@Nullable CacheDirectory directory, long program, LongSupplier clock, boolean keepsTrust) {
        this.directory = directory;
        this.program = program;
        this.clock = clock;
        this.keepsTrust = keepsTrust;
    }

    /**
     * Returns the cache in a directory.
     *
     * @param user the user ID of the user who must own the directory
     * @param program a digest of the program; facts cached by another program are ignored
     * @param clock the time in nanoseconds since 1970
     */
    public static FactsCache in(Path directory, int user, long program, LongSupplier clock) {
        CacheDirectory ours = new CacheDirectory(directory, user, LIMIT, LARGEST);
        return new FactsCache(ours, program, clock, user == SUPERUSER);
    }

    /** Returns the time to pass to the keep methods for files that are read from now on. */
    public long now() {
        return clock.getAsLong();
    }

    public synchronized @Nullable DirectoryCache[] shelves(Path[] files) {
        @Nullable DirectoryCache[] found = new DirectoryCache[files.length];
        if (directory == null || files.length == 0) {
            return found;
        }
        Map<String, List<Integer>> groups = new HashMap<>();
        List<Integer> members = List.of();
        String top = null;
        for (int i = 0; i < files.length; i++) {
            String path = files[i].toString();
            if (top == null || top.isEmpty() || !path.startsWith(top)) {
                top = kernelDirectory(path);
                members = groups.computeIfAbsent(top, key -> new ArrayList<>());
            }
            members.add(i);
        }
        groups.forEach((kernel, indexes) -> assign(kernel, indexes, files, found));
        return found;
    }

    private static String kernelDirectory(String path) {
        int modules = path.indexOf(MODULES);
        int end = modules < 0 ? -1 : path.indexOf('/', modules + MODULES.length());
        return path.substring(0, end + 1);
    }

    private void assign(String kernel, List<Integer> indexes, Path[] files, @Nullable DirectoryCache[] found) {
        boolean worth = indexes.size() >= WORTH_A_SEGMENT;
        for (int index : indexes) {
            worth |= !files[index].toString().endsWith(".ko");
        }
        if (!worth) {
            return;
        }
        DirectoryCache shelf = shelf(kernel.isEmpty() ? commonDirectory(indexes, files) : kernel);
        for (int index : indexes) {
            found[index] = shelf;
        }
    }

    private static String commonDirectory(List<Integer> indexes, Path[] files) {
        String first = files[indexes.get(0)].toString();
        int common = first.length();
        for (int index : indexes) {
            String path = files[index].toString();
            int same = 0;
            while (same < common && same < path.length() && path.charAt(same) == first.charAt(same)) {
                same++;
            }
            common = same;
        }
        return first.substring(0, first.lastIndexOf('/', common - 1) + 1);
    }

    private DirectoryCache shelf(String top) {
        DirectoryCache known = shelves.get(top);
        if (known == null) {
            known = new DirectoryCache(top, segment(name(top)), keepsTrust);
            shelves.put(top, known);
        }
        return known;
    }

    private @Nullable Segment segment(String name) {
        byte[] bytes = directory == null ? null : directory.read(name);
        try {
            return bytes == null ? null : Segment.open(bytes, program);
        } catch (UnreadableException e) {
            return null;
        }
    }

    private static String name(String top) {
        byte[] bytes = top.getBytes(StandardCharsets.UTF_8);
        String digits = Long.toHexString(SymbolNames.hash(bytes, 0, bytes.length));
        return "0".repeat(16 - digits.length()) + digits;
    }

    /**
     * Returns the facts of a package as an earlier run cached them; null if none are cached or the package has changed.
     * Thread-safe.
     *
     * @param given the package's name for reports
     */
    public @Nullable PackageFacts find(Path file, FileIdentity identity, String given) {
        byte[] bytes = directory == null ? null : directory.read(name(file + PACKAGE));
        try {
            return bytes == null ? null : PackageSegment.read(bytes, program, identity, given);
        } catch (UnreadableException e) {
            return null;
        }
    }

    /**
     * Returns the facts of a package. Also caches them if the package was read to its end, is not empty, and has a
     * settled identity ({@link FileIdentity#isSettled}). Thread-safe.
     *
     * @param identity the package's identity; null if it changed during reading
     * @param started the time before reading, from {@link #now}
     * @param given the package's name for reports
     */
    public PackageFacts keep(
            Path file, @Nullable FileIdentity identity, long started, String given, PackageFactsWriter found) {
        FileIdentity known = identity == null ? NO_FILE : identity;
        try {
            byte[] bytes = FileSegment.write(PackageSegment.MAGIC, program, known, found.parts());
            if (identity != null && identity.isSettled(started) && found.isWorthKeeping()) {
                write(file + PACKAGE, () -> bytes);
            }
            return PackageSegment.read(bytes, program, known, given);
        } catch (BufferOverflowException e) {
            return new PackageFacts(List.of(), List.of(), List.of(), "it contains too many modules");
        } catch (UnreadableException e) {
            throw new IllegalStateException("just written", e);
        }
    }

    /**
     * Returns the certificates in a kernel image as an earlier run cached them; null if none are cached, the image has
     * changed, or weaklink does not run as root.
     */
    public @Nullable ImageCertificates certificates(Path image, FileIdentity identity) {
        return keepsTrust
                ? find(image + CERTIFICATES, ImageCertificates.MAGIC, identity, ImageCertificates::read)
                : null;
    }

    public void keep(Path image, FileIdentity identity, long started, ImageCertificates found) {
        if (keepsTrust && identity.isSettled(started)) {
            keep(image + CERTIFICATES, ImageCertificates.MAGIC, identity, found::bytes);
        }
    }

    /**
     * Returns the facts about a kernel image, other than its types and exports, as an earlier run cached them. Returns
     * null if none are cached or the image has changed.
     */
    public @Nullable ImageEvidence evidence(Path image, FileIdentity identity) {
        return find(image + EVIDENCE, ImageEvidence.MAGIC, identity, ImageEvidence::read);
    }

    public void keep(Path image, FileIdentity identity, long started, ImageEvidence found) {
        if (identity.isSettled(started)) {
            keep(image + EVIDENCE, ImageEvidence.MAGIC, identity, found::bytes);
        }
    }

    /**
     * Returns the types (BTF) and exports in a kernel image as an earlier run cached them; null if none are cached or
     * the image has changed. Thread-safe.
     */
    public @Nullable ImageTypes types(Path image, FileIdentity identity) {
        return find(image + TYPES, TypesSegment.MAGIC, identity, TypesSegment::read);
    }

    /**
     * Caches the types (BTF) and exports in a kernel image if its identity is settled ({@link FileIdentity#isSettled}).
     * Thread-safe.
     *
     * @param started the time before reading, from {@link #now}
     */
    public void keep(Path image, FileIdentity identity, long started, ImageTypes found) {
        if (identity.isSettled(started)) {
            keep(image + TYPES, TypesSegment.MAGIC, identity, () -> TypesSegment.bytes(found));
        }
    }

    private <T> @Nullable T find(String place, int magic, FileIdentity identity, FileSegment.Reader<T> reader) {
        byte[] bytes = directory == null ? null : directory.read(name(place));
        try {
            return bytes == null ? null : FileSegment.read(bytes, magic, program, identity, reader);
        } catch (UnreadableException e) {
            return null;
        }
    }

    private void keep(String place, int magic, FileIdentity identity, Supplier<SegmentBytes> contents) {
        write(place, () -> FileSegment.write(magic, program, identity, List.of(contents.get())));
    }

    private void write(String place, Supplier<byte[]> contents) {
        if (directory == null) {
            return;
        }
        try {
            directory.write(name(place), contents.get());
        } catch (IOException | UnsupportedOperationException | BufferOverflowException e) {
            // without a writable cache, the next run reads everything again
            return;
        }
    }

    public synchronized void save() {
        for (Map.Entry<String, DirectoryCache> entry : shelves.entrySet()) {
            List<SegmentWriter.SegmentEntry> entries = entry.getValue().renewed();
            if (entries != null) {
                write(entry.getKey(), () -> SegmentWriter.write(entries, program));
            }
        }
    }

    private static final class TypesSegment {
        static final int MAGIC = 0x32494c57;

        /** The maximum size in bytes of the types (BTF) in a kernel image; kernels have 4 to 7 MB. */
        private static final int LARGEST = 32 << 20;

        private static final int UNKNOWN = 0;
        private static final int ANY = 1;
        private static final int GPL_ONLY = 2;

        /** The size in bytes of an export with an empty name and no namespace. */
        private static final int SMALLEST_EXPORT = 14;

        private TypesSegment() {}

        /**
         * Returns the encoded entry:
         *
         * <pre>
         *   release
         *   u8 flag for types; if set: u32 length, the types
         *   u8 flag for exports; if set: u32 number of exports
         *   for each export: name, u8 flag for a CRC, u32 CRC, u8 license, namespace
         * </pre>
         *
         * @throws BufferOverflowException if the types are too long
         */
        static SegmentBytes bytes(ImageTypes types) {
            byte[] section = types.bytes();
            int length = section == null ? 0 : section.length;
            if (length > LARGEST) {
                throw new BufferOverflowException();
            }
            SegmentBytes out = new SegmentBytes(length + 256);
            out.text(types.release());
            out.bool(section != null);
            if (section != null) {
                out.i32(length);
                out.bytes(section, 0, length);
            }
            out.bool(types.exports() != null);
            if (types.exports() != null) {
                write(types.exports(), out);
            }
            return out;
        }

        private static void write(ExportTable exports, SegmentBytes out) {
            SymbolNames names = exports.names();
            out.i32(exports.size());
            for (int row = 0; row < exports.size(); row++) {
                out.i32(names.length(row));
                out.bytes(names.bytes(), names.offset(row), names.length(row));
                out.bool(exports.hasCrc(row));
                out.i32(exports.crc(row));
                out.u8(exports.isLicenseKnown(row) ? exports.isGplOnly(row) ? GPL_ONLY : ANY : UNKNOWN);
                out.text(exports.namespace(row));
            }
        }

        static ImageTypes read(SegmentCursor in) throws UnreadableException {
            String release = in.textOrThrow();
            ByteBuffer section = null;
            if (in.bool()) {
                int length = in.count(1);
                section = ByteBuffer.wrap(in.bytes(), in.position(), length).slice();
                in.skip(length);
            }
            return new ImageTypes(release, section, in.bool() ? exports(in) : null);
        }

        private static ExportTable exports(SegmentCursor in) throws UnreadableException {
            int count = in.count(SMALLEST_EXPORT);
            ExportTableBuilder rows = new ExportTableBuilder(count);
            int vmlinux = rows.owner(Symvers.VMLINUX);
            for (int i = 0; i < count; i++) {
                int length = in.count(1);
                int name = in.position();
                in.skip(length);
                boolean hasCrc = in.bool();
                int crc = in.i32();
                int license = in.u8();
                rows.add(
                        in.bytes(),
                        name,
                        length,
                        hasCrc ? crc : null,
                        license == UNKNOWN ? null : license == GPL_ONLY,
                        vmlinux,
                        rows.namespace(in.text()));
            }
            return rows.build();
        }
    }

    /**
     * The certificates in a kernel image.
     *
     * @param release the kernel's release (uname -r)
     * @param certificates the DER encoding of each certificate, one character for each byte
     */
    public record ImageCertificates(String release, List<String> certificates) {
        static final int MAGIC = 0x31434c57;
        private static final int SMALLEST = 4;

        public ImageCertificates {
            certificates = List.copyOf(certificates);
        }

        SegmentBytes bytes() {
            SegmentBytes out = new SegmentBytes(1 << 14);
            out.text(release);
            out.i32(certificates.size());
            certificates.forEach(out::text);
            return out;
        }

        static ImageCertificates read(SegmentCursor in) throws UnreadableException {
            String release = in.textOrThrow();
            List<String> certificates = new ArrayList<>();
            for (int i = in.count(SMALLEST); i > 0; i--) {
                certificates.add(in.textOrThrow());
            }
            return new ImageCertificates(release, certificates);
        }
    }

    /**
     * The facts about a kernel image other than its types and exports.
     *
     * @param release the kernel's release (uname -r)
     * @param vermagic the vermagic of the kernel's modules, null if the image does not show it
     * @param builtIn the names of built-in code in /sys/module
     * @param traces the strings in the image that show the rules of its module loader
     * @param symvers the checksum of the symvers file whose CRCs agree with the image's, 0 if unknown
     */
    public record ImageEvidence(
            String release, @Nullable String vermagic, BuiltInModules builtIn, LoaderTraces traces, long symvers) {
        static final int MAGIC = 0x33454c57;
        private static final int SMALLEST = 4;

        /**
         * Returns the encoded entry:
         *
         * <pre>
         *   release, vermagic
         *   u8 flag for complete names of built-in code, the sets {@code taken} and {@code possible}
         *   banner, the names of the traces, i32 size of a version entry
         *   u64 checksum of the symvers file
         * </pre>
         */
        SegmentBytes bytes() {
            SegmentBytes out = new SegmentBytes(1 << 12);
            out.text(release);
            out.text(vermagic);
            out.bool(builtIn.complete());
            write(builtIn.taken(), out);
            write(builtIn.possible(), out);
            out.text(traces.banner());
            out.i32(traces.found().size());
            traces.found().stream().map(LoaderTrace::name).sorted().forEach(out::text);
            out.i32(traces.versionEntrySize());
            out.i64(symvers);
            return out;
        }

        private static void write(Set<String> names, SegmentBytes out) {
            out.i32(names.size());
            names.stream().sorted().forEach(out::text);
        }

        static ImageEvidence read(SegmentCursor in) throws UnreadableException {
            String release = in.textOrThrow();
            String vermagic = in.text();
            boolean complete = in.bool();
            BuiltInModules names = new BuiltInModules(names(in), names(in), complete);
            String banner = in.text();
            LoaderTraces traces = new LoaderTraces(banner, traces(names(in)), in.i32());
            return new ImageEvidence(release, vermagic, names, traces, in.i64());
        }

        private static Set<LoaderTrace> traces(Set<String> names) throws UnreadableException {
            Set<LoaderTrace> traces = EnumSet.noneOf(LoaderTrace.class);
            for (LoaderTrace trace : LoaderTrace.values()) {
                if (names.contains(trace.name())) {
                    traces.add(trace);
                }
            }
            if (traces.size() != names.size()) {
                throw new UnreadableException("an unknown trace");
            }
            return traces;
        }

        private static Set<String> names(SegmentCursor in) throws UnreadableException {
            Set<String> names = new HashSet<>();
            for (int i = in.count(SMALLEST); i > 0; i--) {
                names.add(in.textOrThrow());
            }
            return names;
        }
    }

    static final class SystemClock implements LongSupplier {
        @Override
        public long getAsLong() {
            return System.currentTimeMillis() * 1_000_000;
        }
    }
}
