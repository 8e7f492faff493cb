package dev.weaklink.system.cache;

import dev.weaklink.format.archive.HeldBytes;
import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.module.RuntimeNames;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.cache.PackageFacts.KernelFile;
import dev.weaklink.system.cache.PackageFacts.PackageProblem;
import java.nio.BufferUnderflowException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cached facts of a package, in a {@link FileSegment}:
 *
 * <pre>
 *   names, as in a {@link Segment}
 *   u32 number of bytes up to the contents
 *   reason why the package could not be read to its end
 *   u32 problems, for each: subject, message
 *   u32 files, for each: its package, member, path, u32 length
 *   u32 modules, for each:
 *     u8 flag for the same package as the module before; if not set: the package
 *     container, path, reason why it could not be read, u32 length of its facts
 *     u32 number of symbols that it requests at run time, the symbols
 *   the contents: the bytes of each file, then the facts of each module (see {@link ModuleEncoder})
 * </pre>
 *
 * A module's facts are decoded on demand.
 */
final class PackageSegment {
    static final int MAGIC = 0x32504c57;
    private static final int SMALLEST = 4;
    private static final PackageKind[] KINDS = PackageKind.values();

    private final SegmentCursor in;
    private final SymbolNames pool;
    private final String given;
    private int next;

    private PackageSegment(SegmentCursor in, String given) throws UnreadableException {
        this.in = in;
        this.pool = Segment.names(in);
        this.given = given;
        int head = in.count(1);
        this.next = in.position() + head;
    }

    /**
     * Returns the facts of a package.
     *
     * @param file the package's current identity
     * @param given the package's name for reports
     * @throws UnreadableException if the bytes are damaged, or of another program or package
     */
    static PackageFacts read(byte[] bytes, long program, FileIdentity file, String given) throws UnreadableException {
        return FileSegment.read(bytes, MAGIC, program, file, in -> new PackageSegment(in, given).read());
    }

    private PackageFacts read() throws UnreadableException {
        String failure = in.text();
        List<PackageProblem> problems = new ArrayList<>();
        for (int i = in.count(SMALLEST); i > 0; i--) {
            problems.add(new PackageProblem(in.textOrThrow(), in.textOrThrow()));
        }
        List<KernelFile> files = new ArrayList<>();
        for (int i = in.count(SMALLEST); i > 0; i--) {
            files.add(new KernelFile(info(), in.textOrThrow(), in.textOrThrow(), contents()));
        }
        List<PackagedModule> modules = new ArrayList<>();
        PackageInfo info = null;
        Origin.Owner owner = null;
        for (int i = in.count(SMALLEST); i > 0; i--) {
            boolean same = in.bool();
            if (!same || info == null) {
                info = info();
                owner = PackageFacts.owner(info);
            }
            modules.add(module(info, owner));
        }
        return new PackageFacts(modules, files, problems, failure);
    }

    private PackageInfo info() throws UnreadableException {
        PackageKind kind = in.constant(KINDS);
        String name = in.textOrThrow();
        String version = in.textOrThrow();
        String product = in.text();
        List<PackageRelation> requires = new ArrayList<>();
        for (int i = in.count(SMALLEST); i > 0; i--) {
            requires.add(new PackageRelation(in.textOrThrow(), in.textOrThrow(), in.textOrThrow()));
        }
        return new PackageInfo(kind, name, version, product, requires);
    }

    private HeldBytes contents() throws UnreadableException {
        int start = next;
        int length = in.i32();
        if (length < 0 || length > in.bytes().length - Segment.CRC_SIZE - start) {
            throw new UnreadableException("contents beyond the end");
        }
        next += length;
        return new HeldBytes(in.bytes(), start, length);
    }

    private PackagedModule module(PackageInfo info, Origin.@Nullable Owner owner) throws UnreadableException {
        String container = in.textOrThrow();
        String path = in.textOrThrow();
        String failure = in.text();
        HeldBytes facts = contents();
        RuntimeNames runtime = new RuntimeNames(in.texts());
        Origin origin = new Origin(given, PackageEntry.member(container, path), owner);
        return new PackagedModule(info, owner, container, path, () -> read(facts, origin, failure), runtime);
    }

    private KernelModule read(HeldBytes facts, Origin origin, @Nullable String failure) throws UnreadableException {
        if (failure != null) {
            throw UnreadableException.of(origin.toString(), failure, null);
        }
        int end = facts.offset() + facts.length();
        try {
            SegmentCursor cursor = new SegmentCursor(facts.array(), facts.offset(), end);
            return new ModuleDecoder(cursor, pool).read(origin);
        } catch (UnreadableException | IndexOutOfBoundsException | BufferUnderflowException e) {
            throw UnreadableException.of(
                    origin.toString(), "this module's entry in the cache is damaged; use --no-cache", e);
        }
    }

    /**
     * The format of a cache entry for one file; numbers are little-endian:
     *
     * <pre>
     *   u32 magic of the kind of entry, u64 digest of the program, u32 total length
     *   u64 device, inode, size, modified, changed of the file
     *   the contents
     *   u32 CRC-32 of all bytes before
     * </pre>
     */
    static final class FileSegment {
        private FileSegment() {}

        interface Reader<T> {
            T read(SegmentCursor in) throws UnreadableException;
        }

        static byte[] write(int magic, long program, FileIdentity file, List<SegmentBytes> kept) {
            List<SegmentBytes> parts = new ArrayList<>();
            parts.add(identity(file));
            parts.addAll(kept);
            return SegmentWriter.closed(magic, program, parts);
        }

        private static SegmentBytes identity(FileIdentity file) {
            SegmentBytes out = new SegmentBytes(5 * Long.BYTES);
            out.i64(file.device());
            out.i64(file.inode());
            out.i64(file.size());
            out.i64(file.modified());
            out.i64(file.changed());
            return out;
        }

        /**
         * Reads the entry of a file.
         *
         * @param file the file's current identity
         * @throws UnreadableException if the bytes are damaged, or of another kind, program or file
         */
        static <T> T read(byte[] bytes, int magic, long program, FileIdentity file, Reader<T> reader)
                throws UnreadableException {
            SegmentCursor in = Segment.opened(bytes, magic, program);
            try {
                FileIdentity kept = new FileIdentity(in.i64(), in.i64(), in.i64(), in.i64(), in.i64());
                if (!kept.equals(file)) {
                    throw new UnreadableException("of another file");
                }
                return reader.read(in);
            } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
                throw new UnreadableException("contents beyond the end");
            }
        }
    }
}
