package dev.weaklink.format.archive;

import dev.weaklink.format.archive.CpioReader.CpioEntry;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile.OpenPackage;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.format.archive.PackageWalk.RawEntry;
import dev.weaklink.sys.UnreadableException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An rpm package of format 3 or 4 (rpm, docs/manual/format_v3.md and format_v4.md). The parts are a lead of 96 bytes, a
 * signature header padded to 8 bytes, the header, and a compressed cpio archive. Signatures and digests are not
 * verified.
 */
final class RpmPackage implements OpenPackage {
    private static final int LEAD_LENGTH = 96;
    private static final int SIGNATURE_ALIGNMENT = 8;

    /**
     * The newest supported format; packages of format 6 and later state their format in a tag
     * (docs/manual/format_v6.md).
     */
    private static final int NEWEST_FORMAT = 4;

    private static final int LESS = 2;
    private static final int GREATER = 4;
    private static final int EQUAL = 8;

    /** The requirement of packages whose payload has padding that only the newest rpm supports. */
    private static final String ALIGNED_PAYLOAD = "rpmlib(PayloadAlignment)";

    private final InputStream in;
    private final RpmHeader header;
    private final PackageInfo info;

    private RpmPackage(InputStream in, RpmHeader header) throws UnreadableException {
        this.in = in;
        this.header = header;
        this.info = describe(header);
    }

    static RpmPackage open(InputStream in, PackageBudget budget) throws IOException {
        new EntryData(in, LEAD_LENGTH).drain();
        RpmHeader signature = RpmHeader.read(in);
        int padding = -signature.storeSize() & (SIGNATURE_ALIGNMENT - 1);
        new EntryData(in, padding).drain();
        RpmPackage rpm = new RpmPackage(in, RpmHeader.read(in));
        budget.spendEntry(0);
        rpm.requireReadable();
        return rpm;
    }

    private void requireReadable() throws UnreadableException {
        long[] version = header.numbers(RpmTag.RPM_FORMAT);
        if (version.length > 0 && version[0] > NEWEST_FORMAT) {
            throw new UnreadableException("unsupported rpm format "
                    + version[0]
                    + "; convert the package with 'rpm2archive', then name the tar archive");
        }
        String format = header.string(RpmTag.PAYLOAD_FORMAT);
        if (!format.isEmpty() && !format.equals("cpio")) {
            throw new UnreadableException("unsupported rpm package: its payload is not a cpio archive");
        }
        for (PackageRelation required : info.requires()) {
            if (required.name().equals(ALIGNED_PAYLOAD)) {
                throw new UnreadableException("unsupported rpm package: aligned payload (rpmlib(PayloadAlignment))");
            }
        }
    }

    private static PackageInfo describe(RpmHeader header) throws UnreadableException {
        return new PackageInfo(
                PackageKind.RPM,
                header.string(RpmTag.NAME),
                version(header),
                product(header.string(RpmTag.SOURCE_RPM)),
                requires(header));
    }

    /**
     * Returns the name from {@code NAME-VERSION-RELEASE.src.rpm}, or null if the string does not have two dashes after
     * a name. Neither version nor release can contain a dash.
     */
    private static @Nullable String product(String sourceRpm) {
        int release = sourceRpm.lastIndexOf('-');
        int version = sourceRpm.lastIndexOf('-', release - 1);
        return version <= 0 ? null : sourceRpm.substring(0, version);
    }

    private static String version(RpmHeader header) throws UnreadableException {
        long[] epoch = header.numbers(RpmTag.EPOCH);
        return (epoch.length == 0 || epoch[0] == 0 ? "" : epoch[0] + ":")
                + header.string(RpmTag.VERSION)
                + "-"
                + header.string(RpmTag.RELEASE);
    }

    private static List<PackageRelation> requires(RpmHeader header) throws UnreadableException {
        String[] names = header.strings(RpmTag.REQUIRE_NAME);
        long[] flags = header.numbers(RpmTag.REQUIRE_FLAGS);
        String[] versions = header.strings(RpmTag.REQUIRE_VERSION);
        List<PackageRelation> relations = new ArrayList<>(names.length);
        for (int i = 0; i < names.length; i++) {
            boolean compared = i < versions.length && !versions[i].isEmpty() && i < flags.length;
            relations.add(new PackageRelation(
                    names[i], compared ? operator((int) flags[i]) : "", compared ? versions[i] : ""));
        }
        return relations;
    }

    private static String operator(int flags) {
        return ((flags & LESS) != 0 ? "<" : "")
                + ((flags & GREATER) != 0 ? ">" : "")
                + ((flags & EQUAL) != 0 ? "=" : "");
    }

    @Override
    public PackageInfo info() {
        return info;
    }

    @Override
    public void walk(PackageWalk walk) throws IOException {
        RpmFiles files = new RpmFiles(header);
        if (!files.anyWanted(walk)) {
            return;
        }
        try (UnpackedStream payload = UnpackedStream.open(in, walk.budget())) {
            new RpmPayload(payload, files, walk).walk();
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /** The files in an rpm package's cpio archive. The last of several hard links has the contents. */
    private static final class RpmPayload {
        private static final int MAX_TARGET = 4096;

        private final CpioReader cpio;
        private final PackageWalk walk;
        private final Map<Inode, List<String>> waiting = new HashMap<>();

        RpmPayload(InputStream in, RpmFiles files, PackageWalk walk) {
            this.cpio = new CpioReader(in, files);
            this.walk = walk;
        }

        void walk() throws IOException {
            for (CpioEntry entry = cpio.next(); entry != null; entry = cpio.next()) {
                if (entry.isDirectory()) {
                    walk.entry(new RawEntry(entry.name(), EntryType.DIRECTORY, 0, ""), nothing());
                } else if (entry.isSymlink()) {
                    walk.entry(new RawEntry(entry.name(), EntryType.SYMLINK, 0, target()), nothing());
                } else if (entry.isRegular()) {
                    file(entry);
                }
            }
            if (!cpio.trailerSeen()) {
                throw new UnreadableException("truncated: the rpm package's payload ends too early");
            }
            for (List<String> empty : waiting.values()) {
                for (String path : empty) {
                    walk.visit(path, RawEntry.file(path, 0), nothing());
                }
            }
        }

        private String target() throws IOException {
            byte[] target = cpio.contents().readNBytes(MAX_TARGET + 1);
            if (target.length > MAX_TARGET) {
                throw new UnreadableException(
                        "corrupt rpm package: a link's target is longer than " + MAX_TARGET + " bytes");
            }
            return new String(target, StandardCharsets.UTF_8);
        }

        private void file(CpioEntry entry) throws IOException {
            String path = walk.accept(RawEntry.file(entry.name(), entry.size()));
            if (path == null) {
                return;
            }
            if (entry.links() <= 1) {
                walk.visit(path, RawEntry.file(path, entry.size()), cpio.contents());
            } else if (entry.size() == 0) {
                waiting.computeIfAbsent(Inode.of(entry), inode -> new ArrayList<>())
                        .add(path);
            } else {
                List<String> names = waiting.remove(Inode.of(entry));
                linked(entry, names == null ? new ArrayList<>() : names, path);
            }
        }

        private void linked(CpioEntry entry, List<String> names, String last) throws IOException {
            names.add(last);
            String first = last;
            for (String name : names) {
                if (walk.wants(name)) {
                    first = name;
                    break;
                }
            }
            walk.visit(first, RawEntry.file(first, entry.size()), cpio.contents());
            for (String name : names) {
                if (!name.equals(first)) {
                    walk.visit(name, new RawEntry(name, EntryType.HARDLINK, 0, first), nothing());
                }
            }
        }

        private static InputStream nothing() {
            return InputStream.nullInputStream();
        }
    }

    private static final class RpmFiles implements CpioReader.Stripped {
        private static final int TYPE = 0170000;
        private static final int REGULAR = 0100000;
        private static final int SYMLINK = 0120000;

        private final String[] baseNames;
        private final String[] dirNames;
        private final long[] dirIndexes;
        private final long[] sizes;
        private final long[] modes;
        private final String[] linkTargets;
        private final long[] inodes;
        private final long[] devices;

        private @Nullable Map<Inode, Links> links;

        /**
         * The hard links of one inode: the index of the last file, which alone has contents, and the number of files.
         */
        private record Links(int last, int count) {}

        RpmFiles(RpmHeader header) throws UnreadableException {
            boolean old = header.has(RpmTag.OLD_FILE_NAMES) && !header.has(RpmTag.BASE_NAMES);
            baseNames = header.strings(old ? RpmTag.OLD_FILE_NAMES : RpmTag.BASE_NAMES);
            dirNames = old ? new String[0] : header.strings(RpmTag.DIR_NAMES);
            dirIndexes = old ? new long[0] : header.numbers(RpmTag.DIR_INDEXES);
            boolean large = header.has(RpmTag.LONG_FILE_SIZES);
            sizes = header.numbers(large ? RpmTag.LONG_FILE_SIZES : RpmTag.FILE_SIZES);
            modes = header.numbers(RpmTag.FILE_MODES);
            linkTargets = header.strings(RpmTag.FILE_LINKTOS);
            inodes = header.numbers(RpmTag.FILE_INODES);
            devices = header.numbers(RpmTag.FILE_DEVICES);
        }

        String path(int file) throws UnreadableException {
            if (file >= baseNames.length) {
                throw new UnreadableException("corrupt rpm package: its header lists no file number " + file);
            }
            if (dirIndexes.length == 0) {
                return baseNames[file];
            }
            long directory = value(dirIndexes, file);
            if (directory >= dirNames.length) {
                throw new UnreadableException("corrupt rpm package: its header lists no directory number " + directory);
            }
            return dirNames[(int) directory] + baseNames[file];
        }

        boolean anyWanted(PackageWalk walk) throws UnreadableException {
            for (int file = 0; file < baseNames.length; file++) {
                String path = EntryPath.of(path(file));
                if (path != null && walk.wants(path)) {
                    return true;
                }
            }
            return false;
        }

        @Override
        public CpioEntry entry(int file) throws UnreadableException {
            String path = path(file);
            int mode = (int) value(modes, file);
            Inode inode = inode(file);
            int type = mode & TYPE;
            Links all = links().getOrDefault(inode, new Links(file, 1));
            long size = 0;
            if (type == SYMLINK && file < linkTargets.length) {
                size = linkTargets[file].getBytes(StandardCharsets.UTF_8).length;
            } else if (type == REGULAR && all.last() == file) {
                size = value(sizes, file);
            }
            return new CpioEntry(path, mode, inode.number(), inode.device(), all.count(), size);
        }

        private Map<Inode, Links> links() throws UnreadableException {
            if (links == null) {
                links = new HashMap<>();
                for (int file = 0; file < baseNames.length; file++) {
                    Inode inode = inode(file);
                    Links before = links.get(inode);
                    links.put(inode, new Links(file, before == null ? 1 : before.count() + 1));
                }
            }
            return links;
        }

        private Inode inode(int file) throws UnreadableException {
            return new Inode(value(devices, file), value(inodes, file));
        }

        private static long value(long[] values, int file) throws UnreadableException {
            if (file >= values.length || values[file] < 0) {
                throw new UnreadableException(
                        "corrupt rpm package: an attribute of file number " + file + " is missing");
            }
            return values[file];
        }
    }

    /**
     * A header of an rpm package: an index of tags and a store of their values, all big-endian.
     *
     * <p>The header starts with 16 bytes: magic 8e ad e8 01, four reserved bytes, the number of index entries, and the
     * size of the store. An index entry has 16 bytes: tag, type, offset in the store, count.
     */
    private static final class RpmHeader {
        private static final int INTRO_LENGTH = 16;
        private static final int MAGIC = 0x8eade801;
        private static final int ENTRY_LENGTH = 16;

        /** The maximum number of entries; rpm itself has the same limit. */
        private static final int MAX_ENTRIES = 0xffff;

        /**
         * The maximum size in bytes of the store; rpm allows 256 MiB, but the largest kernel packages need only a few
         * MiB.
         */
        private static final int MAX_STORE = 64 << 20;

        /** The maximum number of values of a tag; packages of kernel sources have tens of thousands of files. */
        private static final int MAX_VALUES = 1 << 18;

        private static final int TYPE_INT16 = 3;
        private static final int TYPE_INT32 = 4;
        private static final int TYPE_INT64 = 5;
        private static final int TYPE_STRING = 6;
        private static final int TYPE_STRING_ARRAY = 8;
        private static final int TYPE_I18N_STRING = 9;

        private final ByteBuffer index;
        private final byte[] store;

        private RpmHeader(ByteBuffer index, byte[] store) {
            this.index = index;
            this.store = store;
        }

        static RpmHeader read(InputStream in) throws IOException {
            ByteBuffer intro = bytes(in, INTRO_LENGTH);
            if (intro.getInt() != MAGIC) {
                throw new UnreadableException("corrupt rpm package: a header has no magic");
            }
            int entries = intro.getInt(8);
            int size = intro.getInt(12);
            if (entries < 0 || entries > MAX_ENTRIES || size < 0 || size > MAX_STORE) {
                throw new UnreadableException("corrupt rpm package: a header has more than " + MAX_ENTRIES
                        + " entries or " + (MAX_STORE >> 20) + " MiB");
            }
            ByteBuffer index = bytes(in, entries * ENTRY_LENGTH);
            return new RpmHeader(index, bytes(in, size).array());
        }

        /** Reads bytes; allocates memory only as data arrive, whatever length the header states. */
        private static ByteBuffer bytes(InputStream in, int length) throws IOException {
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length) {
                throw new EOFException("truncated: the rpm package ends in its header");
            }
            return ByteBuffer.wrap(bytes);
        }

        int storeSize() {
            return store.length;
        }

        boolean has(int tag) {
            return find(tag) >= 0;
        }

        String string(int tag) throws UnreadableException {
            int entry = find(tag);
            return entry < 0 ? "" : strings(entry, 1)[0];
        }

        String[] strings(int tag) throws UnreadableException {
            int entry = find(tag);
            return entry < 0 ? new String[0] : strings(entry, count(entry));
        }

        private String[] strings(int entry, int count) throws UnreadableException {
            int type = index.getInt(entry + 4);
            if (type != TYPE_STRING && type != TYPE_STRING_ARRAY && type != TYPE_I18N_STRING) {
                throw wrongType(entry);
            }
            String[] strings = new String[count];
            int start = index.getInt(entry + 8);
            for (int i = 0; i < count; i++) {
                int end = start;
                while (end >= 0 && end < store.length && store[end] != 0) {
                    end++;
                }
                if (start < 0 || end >= store.length) {
                    throw outside(entry);
                }
                strings[i] = new String(store, start, end - start, StandardCharsets.UTF_8);
                start = end + 1;
            }
            return strings;
        }

        /** Returns the numbers of a tag, or an empty array if the tag is absent. Numbers below 64 bits are unsigned. */
        long[] numbers(int tag) throws UnreadableException {
            int entry = find(tag);
            if (entry < 0) {
                return new long[0];
            }
            int width = width(entry);
            int count = count(entry);
            int offset = index.getInt(entry + 8);
            if (offset < 0 || offset + (long) count * width > store.length) {
                throw outside(entry);
            }
            ByteBuffer values = ByteBuffer.wrap(store, offset, count * width);
            long[] numbers = new long[count];
            for (int i = 0; i < count; i++) {
                numbers[i] = switch (width) {
                    case 2 -> values.getShort() & 0xffffL;
                    case 4 -> values.getInt() & 0xffffffffL;
                    default -> values.getLong();
                };
            }
            return numbers;
        }

        private int width(int entry) throws UnreadableException {
            switch (index.getInt(entry + 4)) {
                case TYPE_INT16:
                    return 2;
                case TYPE_INT32:
                    return 4;
                case TYPE_INT64:
                    return 8;
                default:
                    throw wrongType(entry);
            }
        }

        private int count(int entry) throws UnreadableException {
            int count = index.getInt(entry + 12);
            if (count < 0 || count > MAX_VALUES) {
                throw new UnreadableException("corrupt rpm package: tag " + index.getInt(entry) + " has " + count
                        + " values (expected 0 to " + MAX_VALUES + ")");
            }
            return count;
        }

        private int find(int tag) {
            for (int entry = 0; entry < index.capacity(); entry += ENTRY_LENGTH) {
                if (index.getInt(entry) == tag) {
                    return entry;
                }
            }
            return -1;
        }

        private UnreadableException wrongType(int entry) {
            return new UnreadableException(
                    "corrupt rpm package: tag " + index.getInt(entry) + " has an unexpected type");
        }

        private UnreadableException outside(int entry) {
            return new UnreadableException(
                    "corrupt rpm package: tag " + index.getInt(entry) + " is outside the header");
        }
    }

    private record Inode(long device, long number) {
        static Inode of(CpioEntry entry) {
            return new Inode(entry.device(), entry.inode());
        }
    }

    static final class RpmTag {
        static final int NAME = 1000;
        static final int VERSION = 1001;
        static final int RELEASE = 1002;
        static final int EPOCH = 1003;
        static final int OLD_FILE_NAMES = 1027;
        static final int FILE_SIZES = 1028;
        static final int FILE_MODES = 1030;
        static final int FILE_LINKTOS = 1036;
        static final int SOURCE_RPM = 1044;
        static final int REQUIRE_FLAGS = 1048;
        static final int REQUIRE_NAME = 1049;
        static final int REQUIRE_VERSION = 1050;
        static final int FILE_DEVICES = 1095;
        static final int FILE_INODES = 1096;
        static final int DIR_INDEXES = 1116;
        static final int BASE_NAMES = 1117;
        static final int DIR_NAMES = 1118;
        static final int PAYLOAD_FORMAT = 1124;
        static final int LONG_FILE_SIZES = 5008;
        static final int RPM_FORMAT = 5114;

        private RpmTag() {}
    }
}
