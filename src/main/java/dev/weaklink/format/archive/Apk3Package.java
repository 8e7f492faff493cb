package dev.weaklink.format.archive;

import dev.weaklink.format.archive.AdbValues.AdbObject;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile.OpenPackage;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.format.archive.PackageWalk.RawEntry;
import dev.weaklink.format.codec.Compression;
import dev.weaklink.sys.UnreadableException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A package of apk's third format, apk-v3(5): an ADB file, which may be compressed as a whole. The first block contains
 * the description and the list of files. Optional signatures follow, which are not verified. The last blocks are the
 * contents of the files that are not empty, in the order of the list.
 */
final class Apk3Package implements OpenPackage {
    /** The maximum size in bytes of the block with description and file list, enough for a hundred thousand files. */
    private static final int MAX_VALUES = 16 << 20;

    private static final byte[] MAGIC = {'A', 'D', 'B', '.'};
    private static final byte[] PACKAGE = {'p', 'c', 'k', 'g'};
    private static final int FORM = 3;
    private static final int INFO = 1;
    private static final int DIRECTORIES = 2;

    /**
     * The length of the header before a file's data: two words, the number of the directory and the number of the file.
     */
    private static final int DATA_HEADER = 8;

    private final InputStream in;
    private final AdbBlocks blocks;
    private final AdbObject directories;
    private final PackageInfo info;
    private boolean dataSeen;

    private Apk3Package(InputStream in) throws IOException {
        this.in = in;
        this.blocks = new AdbBlocks(in);
        AdbObject root = new AdbValues(values()).root();
        this.info = Apk3Description.read(root.object(INFO));
        this.directories = root.object(DIRECTORIES);
    }

    static boolean hasMagic(byte[] head, int length) {
        return length >= MAGIC.length
                && Arrays.equals(head, 0, FORM, MAGIC, 0, FORM)
                && (head[FORM] == '.' || head[FORM] == 'd' || head[FORM] == 'c');
    }

    /**
     * Opens a package and reads its description and list of files.
     *
     * @throws UnreadableException with kind OTHER_FORMAT if the ADB file is not a package but, for example, a package
     *     index
     */
    static Apk3Package open(InputStream raw, PackageBudget budget) throws IOException {
        byte form = bytes(raw, MAGIC.length)[FORM];
        UnpackedStream in = UnpackedStream.of(raw, compression(form, raw), budget);
        try {
            boolean plain = form == '.';
            if (!plain && !Arrays.equals(bytes(in, MAGIC.length), MAGIC)
                    || !Arrays.equals(bytes(in, PACKAGE.length), PACKAGE)) {
                throw PackageFormat.noPackage();
            }
            return new Apk3Package(in);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    /**
     * Returns the compression that the last byte of the magic names. If this byte is c, two more bytes contain the
     * algorithm and its level.
     */
    private static Compression compression(byte form, InputStream raw) throws IOException {
        if (form != 'c') {
            return form == 'd' ? Compression.DEFLATE : Compression.NONE;
        }
        byte algorithm = bytes(raw, 2)[0];
        switch (algorithm) {
            case 0:
                return Compression.NONE;
            case 1:
                return Compression.DEFLATE;
            case 2:
                return Compression.ZSTD;
            default:
                throw new UnreadableException(
                        "unsupported apk package: unknown compression (" + (algorithm & 0xff) + ")");
        }
    }

    private static byte[] bytes(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("truncated: the apk package ends too early");
        }
        return bytes;
    }

    private byte[] values() throws IOException {
        AdbBlocks.Block first = blocks.next();
        if (first == null) {
            throw new EOFException("truncated: the apk package ends before its list of files");
        }
        if (first.type() != AdbBlocks.VALUES) {
            throw new UnreadableException("corrupt apk package: it does not begin with its list of files");
        }
        if (first.length() > MAX_VALUES) {
            throw new UnreadableException(
                    "unsupported apk package: its list of files is larger than " + MAX_VALUES + " bytes");
        }
        return bytes(blocks.contents(), (int) first.length());
    }

    @Override
    public PackageInfo info() {
        return info;
    }

    @Override
    public void walk(PackageWalk walk) throws IOException {
        if (!anyWanted(walk)) {
            return;
        }
        Apk3Files files = new Apk3Files(directories);
        for (Apk3Entry listed = files.next(); listed != null; listed = files.next()) {
            RawEntry entry = listed.entry();
            if (entry == null) {
                walk.budget().spendEntry(0);
            } else {
                hand(listed, entry, walk);
            }
        }
        if (nextData() != null) {
            throw new UnreadableException("corrupt apk package: data that belongs to no file");
        }
    }

    /**
     * Returns true if the visitor wants any entry. Also returns true if the list has an invalid path or exceeds the
     * limits, so that the walk reports the problem. The list is not stored, because a crafted list may repeat its parts
     * and become very long.
     */
    private boolean anyWanted(PackageWalk walk) throws IOException {
        int entries = walk.budget().limits().entries();
        long characters = walk.budget().limits().nameBytes();
        Apk3Files files = new Apk3Files(directories);
        for (Apk3Entry listed = files.next(); listed != null; listed = files.next()) {
            RawEntry entry = listed.entry();
            entries--;
            if (entry != null) {
                characters -= entry.name().length();
                String path = EntryPath.of(entry.name());
                if (path == null || walk.wants(path)) {
                    return true;
                }
            }
            if (entries < 0 || characters < 0) {
                return true;
            }
        }
        return false;
    }

    private void hand(Apk3Entry listed, RawEntry entry, PackageWalk walk) throws IOException {
        InputStream contents = entry.size() == 0 ? InputStream.nullInputStream() : data(listed, entry.size());
        ContentDigest digest = listed.digest();
        if (digest != null) {
            contents = digest.verified(contents, entry.size());
        }
        String path = walk.accept(entry);
        if (path == null) {
            return;
        }
        try {
            walk.visit(path, entry, contents);
        } catch (UnreadableException e) {
            if (e.kind() != UnreadableException.UnreadableKind.OTHER_DIGEST) {
                throw e;
            }
            walk.problem(path, e.reason());
        }
    }

    private InputStream data(Apk3Entry listed, long size) throws IOException {
        AdbBlocks.Block block = nextData();
        if (block == null) {
            throw new EOFException("truncated: the apk package ends before its last file");
        }
        if (block.length() != DATA_HEADER + size) {
            throw displaced();
        }
        InputStream contents = blocks.contents();
        ByteBuffer header = ByteBuffer.wrap(bytes(contents, DATA_HEADER)).order(ByteOrder.LITTLE_ENDIAN);
        if (header.getInt() != listed.directory() || header.getInt() != listed.number()) {
            throw displaced();
        }
        return contents;
    }

    private static UnreadableException displaced() {
        return new UnreadableException("corrupt apk package: a data block does not match the list of files");
    }

    /**
     * Returns the next data block; null at the end. Signatures are skipped before the first data block, and refused
     * after it.
     */
    private AdbBlocks.@Nullable Block nextData() throws IOException {
        AdbBlocks.Block block = blocks.next();
        while (block != null && block.type() == AdbBlocks.SIGNATURE && !dataSeen) {
            block = blocks.next();
        }
        if (block != null && block.type() != AdbBlocks.DATA) {
            throw new UnreadableException("corrupt apk package: its blocks are out of order");
        }
        dataSeen = block != null;
        return block;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    /** Reads the description of a package of apk's third format (apk-tools src/apk_adb.h). */
    private static final class Apk3Description {
        private static final int NAME = 1;
        private static final int VERSION = 2;
        private static final int ORIGIN = 7;
        private static final int DEPENDS = 15;

        private static final int RELATION_NAME = 1;
        private static final int RELATION_VERSION = 2;
        private static final int RELATION_MATCH = 3;

        /** The bit for an equal version; the following constants are the other bits (apk-tools src/apk_version.h). */
        private static final int EQUAL = 1;

        private static final int LESS = 2;
        private static final int GREATER = 4;
        private static final int FUZZY = 8;
        private static final int CONFLICT = 16;

        private static final int MAX_RELATIONS = 1 << 16;

        private int characters;

        private Apk3Description() {}

        static PackageInfo read(AdbObject info) throws UnreadableException {
            String name = info.text(NAME);
            if (name.isEmpty()) {
                throw new UnreadableException("corrupt apk package: it has no name");
            }
            String origin = info.text(ORIGIN);
            Apk3Description description = new Apk3Description();
            return new PackageInfo(
                    PackageKind.APK,
                    name,
                    info.text(VERSION),
                    origin.isEmpty() ? null : origin,
                    description.relations(info.object(DEPENDS)));
        }

        private List<PackageRelation> relations(AdbObject array) throws UnreadableException {
            if (array.size() > MAX_RELATIONS) {
                throw new UnreadableException("corrupt apk package: more than " + MAX_RELATIONS + " dependencies");
            }
            List<PackageRelation> relations = new ArrayList<>();
            for (int i = 1; i <= array.size(); i++) {
                AdbObject relation = array.object(i);
                String name = paid(relation.text(RELATION_NAME));
                long match = relation.number(RELATION_MATCH);
                if (!name.isEmpty() && (match & CONFLICT) == 0) {
                    String version = paid(relation.text(RELATION_VERSION));
                    relations.add(new PackageRelation(name, version.isEmpty() ? "" : operator(match), version));
                }
            }
            return relations;
        }

        /**
         * Counts a string towards the limit of a description. A package may refer to one string many times, so that all
         * strings together need more memory than the package has bytes.
         */
        private String paid(String text) throws UnreadableException {
            characters += text.length();
            if (characters > ControlArchive.MAX_SIZE) {
                throw new UnreadableException(
                        "its list of dependencies is longer than " + ControlArchive.MAX_SIZE + " characters");
            }
            return text;
        }

        /**
         * Returns the operator as apk writes it (apk-tools src/version.c:apk_version_op_string). The tilde of a fuzzy
         * comparison replaces the equals sign.
         */
        private static String operator(long match) {
            if (match == 0) {
                return "=";
            }
            return ((match & GREATER) != 0 ? ">" : "")
                    + ((match & LESS) != 0 ? "<" : "")
                    + ((match & FUZZY) != 0 ? "~" : (match & EQUAL) != 0 ? "=" : "");
        }
    }

    /**
     * The files that a package of apk's third format lists, directory by directory (apk-tools src/apk_adb.h). A crafted
     * list may repeat its parts very often, so the caller must count the entries.
     */
    private static final class Apk3Files {
        private static final int DIRECTORY_NAME = 1;
        private static final int DIRECTORY_FILES = 3;
        private static final int FILE_NAME = 1;
        private static final int FILE_SIZE = 3;
        private static final int FILE_DIGEST = 5;
        private static final int FILE_TARGET = 6;

        /** The length in bytes of the file type (S_IFMT of stat(2)) that precedes the target of a link. */
        private static final int TYPE_LENGTH = 2;

        private static final int FIFO = 0010000;
        private static final int CHARACTER_DEVICE = 0020000;
        private static final int BLOCK_DEVICE = 0060000;
        private static final int REGULAR = 0100000;
        private static final int SYMLINK = 0120000;

        private final AdbObject directories;
        private AdbObject files;
        private String name = "";
        private int directory;
        private int file;

        Apk3Files(AdbObject directories) {
            this.directories = directories;
            this.files = new AdbObject(directories.values(), 0, 0);
        }

        @Nullable
        Apk3Entry next() throws UnreadableException {
            if (file < files.size()) {
                file++;
                return entry(files.object(file));
            }
            if (directory >= directories.size()) {
                return null;
            }
            directory++;
            file = 0;
            AdbObject next = directories.object(directory);
            name = next.text(DIRECTORY_NAME);
            files = next.object(DIRECTORY_FILES);
            return listed(new RawEntry(name, EntryType.DIRECTORY, 0, ""), null);
        }

        private Apk3Entry entry(AdbObject described) throws UnreadableException {
            String last = described.text(FILE_NAME);
            if (last.isEmpty()) {
                throw new UnreadableException("corrupt apk package: a file without a name");
            }
            String path = name + "/" + last;
            byte[] target = described.bytes(FILE_TARGET);
            return target == null
                    ? listed(
                            RawEntry.file(path, described.number(FILE_SIZE)),
                            ContentDigest.of(described.bytes(FILE_DIGEST)))
                    : listed(link(path, target), null);
        }

        private Apk3Entry listed(@Nullable RawEntry entry, @Nullable ContentDigest digest) {
            return new Apk3Entry(directory, file, entry, digest);
        }

        /** Returns a symbolic or hard link; null for a device or pipe, which is stored with a target, too. */
        private static @Nullable RawEntry link(String path, byte[] target) throws UnreadableException {
            int type = target.length < TYPE_LENGTH ? 0 : target[0] & 0xff | (target[1] & 0xff) << 8;
            switch (type) {
                case SYMLINK:
                    return new RawEntry(path, EntryType.SYMLINK, 0, targetPath(target));
                case REGULAR:
                    return new RawEntry(path, EntryType.HARDLINK, 0, targetPath(target));
                case FIFO:
                case CHARACTER_DEVICE:
                case BLOCK_DEVICE:
                    return null;
                default:
                    throw new UnreadableException("corrupt apk package: a file of no known type");
            }
        }

        private static String targetPath(byte[] target) {
            return new String(target, TYPE_LENGTH, target.length - TYPE_LENGTH, StandardCharsets.UTF_8);
        }
    }

    /**
     * An entry in the list of a package of apk's third format.
     *
     * @param directory the number of the directory, from 1
     * @param number the number in the directory, from 1; 0 for the directory itself
     * @param entry the entry; null for a device or pipe
     * @param digest the digest of the contents; null if the package does not state one
     */
    private record Apk3Entry(
            int directory,
            int number,
            @Nullable RawEntry entry,
            @Nullable ContentDigest digest) {}
}
