package dev.weaklink.format.archive;

import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile.OpenPackage;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.format.archive.PackageWalk.RawEntry;
import dev.weaklink.format.archive.TarReader.TarEntries;
import dev.weaklink.format.codec.Compression;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.UnreadableKind;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The format of a file according to its first bytes. */
enum PackageFormat {
    RPM,
    AR,
    APK_V3,
    TAR,
    /** A compressed file, which is a package only if it contains a tar archive. */
    PACKED,
    NONE;

    /**
     * The number of bytes that identify a format. Old tar headers have no magic, so the whole record is needed to
     * verify its checksum.
     */
    static final int HEAD_LENGTH = TarReader.RECORD;

    private static final int[] RPM_MAGIC = {0xed, 0xab, 0xee, 0xdb};

    static PackageFormat of(byte[] head, int length) {
        if (isRpm(head, length)) {
            return RPM;
        }
        if (ArReader.hasMagic(head, length)) {
            return AR;
        }
        if (Apk3Package.hasMagic(head, length)) {
            return APK_V3;
        }
        if (TarReader.isHeader(head, length)) {
            return TAR;
        }
        return Compression.of(head, 0, length) == Compression.NONE ? NONE : PACKED;
    }

    private static boolean isRpm(byte[] head, int length) {
        for (int i = 0; i < RPM_MAGIC.length; i++) {
            if (i >= length || (head[i] & 0xff) != RPM_MAGIC[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * Opens a package of this format.
     *
     * @throws UnreadableException with kind OTHER_FORMAT if the file is not a package; with kind DAMAGED if it is an ar
     *     archive, but not a Debian package
     */
    OpenPackage open(InputStream in, PackageBudget budget) throws IOException {
        switch (this) {
            case RPM:
                return RpmPackage.open(in, budget);
            case AR:
                return DebPackage.open(in, budget);
            case APK_V3:
                return Apk3Package.open(in, budget);
            case TAR:
            case PACKED:
                return openTar(UnpackedStream.open(in, budget), budget);
            default:
                throw noPackage();
        }
    }

    static UnreadableException noPackage() {
        return new UnreadableException(
                UnreadableKind.OTHER_FORMAT, "not a package: neither rpm, deb, ipk, apk nor tar archive");
    }

    private static OpenPackage openTar(InputStream unpacked, PackageBudget budget) throws IOException {
        try {
            BufferedInputStream buffered = new BufferedInputStream(unpacked);
            buffered.mark(HEAD_LENGTH);
            byte[] head = buffered.readNBytes(HEAD_LENGTH);
            buffered.reset();
            if (!TarReader.isHeader(head, head.length)) {
                throw noPackage();
            }
            return openTar(buffered, new TarReader(buffered), budget);
        } catch (IOException e) {
            unpacked.close();
            throw e;
        }
    }

    private static OpenPackage openTar(InputStream in, TarReader tar, PackageBudget budget) throws IOException {
        RawEntry first = tar.next();
        if (first != null && IpkPackage.beginsWith(first)) {
            return IpkPackage.open(in, tar, budget);
        }
        if (first != null && ApkPackage.beginsWith(first)) {
            return ApkPackage.open(in, first, tar, budget);
        }
        return new TarBundle(in, tar, first);
    }

    private static final class TarBundle implements OpenPackage {
        private static final PackageInfo INFO = PackageInfo.unnamed(PackageKind.TAR);

        private final InputStream in;
        private final TarReader tar;
        private final @Nullable RawEntry first;

        /**
         * Creates an archive of packages or other files. The first entry has already been read; null for an empty
         * archive.
         */
        TarBundle(InputStream in, TarReader tar, @Nullable RawEntry first) {
            this.in = in;
            this.tar = tar;
            this.first = first;
        }

        @Override
        public PackageInfo info() {
            return INFO;
        }

        @Override
        public void walk(PackageWalk walk) throws IOException {
            for (RawEntry entry = first; entry != null; entry = tar.next()) {
                String path = walk.accept(entry);
                if (path == null) {
                    continue;
                }
                if (path.equals("/oci-layout")) {
                    walk.problem(
                            path,
                            "not read as an OCI image: the archive is compressed, damaged, inside another package, or"
                                    + " without index.json; unpack the archive, then name the directory");
                }
                if (entry.type() == EntryType.FILE) {
                    file(path, entry, walk);
                } else {
                    walk.visit(path, entry, InputStream.nullInputStream());
                }
            }
        }

        private void file(String path, RawEntry entry, PackageWalk walk) throws IOException {
            NestedPackage nested = new NestedPackage(path, tar.contents(), walk);
            if (!nested.walk()) {
                walk.visit(path, entry, nested.contents());
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /** A Debian package, deb(5): an ar archive of debian-binary, control.tar and data.tar. */
    private static final class DebPackage implements OpenPackage {
        private final InputStream in;
        private final ArReader ar;
        private final PackageInfo info;

        private DebPackage(InputStream in, ArReader ar, PackageInfo info) {
            this.in = in;
            this.ar = ar;
            this.info = info;
        }

        static DebPackage open(InputStream in, PackageBudget budget) throws IOException {
            ArReader ar = new ArReader(in);
            if (!"debian-binary".equals(ar.next())) {
                throw new UnreadableException(UnreadableKind.OTHER_FORMAT, "an ar archive, but not a Debian package");
            }
            int major = ar.contents().read();
            if (major != '2' || ar.contents().read() != '.') {
                throw new UnreadableException("unsupported Debian package: its format version is not 2");
            }
            String member = member(ar);
            if (!member.startsWith("control.tar")) {
                throw new UnreadableException("corrupt Debian package: no control.tar after debian-binary");
            }
            return new DebPackage(in, ar, ControlArchive.read(ar.contents(), PackageKind.DEB, budget));
        }

        /** Returns the next member's name; deb(5) reserves names that begin with an underscore, which are skipped. */
        private static String member(ArReader ar) throws IOException {
            String name = ar.next();
            while (name != null && name.startsWith("_")) {
                name = ar.next();
            }
            if (name == null) {
                throw new UnreadableException("truncated: the Debian package ends before its data.tar");
            }
            return name;
        }

        @Override
        public PackageInfo info() {
            return info;
        }

        @Override
        public void walk(PackageWalk walk) throws IOException {
            String member = member(ar);
            if (!member.startsWith("data.tar")) {
                throw new UnreadableException("corrupt Debian package: no data.tar after control.tar");
            }
            try (UnpackedStream data = UnpackedStream.open(ar.contents(), walk.budget())) {
                TarEntries.walk(data, walk);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /** Reads the common ar format of deb(5): short names only, each member padded to an even size. */
    private static final class ArReader {
        private static final byte[] MAGIC = "!<arch>\n".getBytes(StandardCharsets.US_ASCII);
        private static final int HEADER_LENGTH = 60;
        private static final int NAME_LENGTH = 16;
        private static final int SIZE_OFFSET = 48;
        private static final int SIZE_LENGTH = 10;
        private static final int END_OFFSET = 58;

        private final InputStream in;
        private EntryData data;
        private boolean padded;

        ArReader(InputStream in) throws IOException {
            this.in = in;
            this.data = new EntryData(in, MAGIC.length);
            data.drain();
        }

        static boolean hasMagic(byte[] bytes, int length) {
            for (int i = 0; i < MAGIC.length; i++) {
                if (i >= length || bytes[i] != MAGIC[i]) {
                    return false;
                }
            }
            return true;
        }

        /** Returns the next member's name without trailing blanks and slash; null at the end. */
        @Nullable
        String next() throws IOException {
            data.drain();
            if (padded && in.read() < 0) {
                return null;
            }
            byte[] header = in.readNBytes(HEADER_LENGTH);
            if (header.length == 0) {
                return null;
            }
            if (header.length < HEADER_LENGTH) {
                throw new EOFException("truncated: the ar archive ends too early");
            }
            if (header[END_OFFSET] != '`' || header[END_OFFSET + 1] != '\n') {
                throw new UnreadableException("corrupt ar archive: the header of a member is invalid");
            }
            long size = size(header);
            data = new EntryData(in, size);
            padded = size % 2 != 0;
            String name = new String(header, 0, NAME_LENGTH, StandardCharsets.ISO_8859_1).stripTrailing();
            return name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
        }

        InputStream contents() {
            return data;
        }

        private static long size(byte[] header) throws UnreadableException {
            long size = 0;
            int i = SIZE_OFFSET;
            while (i < SIZE_OFFSET + SIZE_LENGTH && header[i] >= '0' && header[i] <= '9') {
                size = size * 10 + (header[i++] - '0');
            }
            if (i == SIZE_OFFSET || i < SIZE_OFFSET + SIZE_LENGTH && header[i] != ' ') {
                throw new UnreadableException("corrupt ar archive: a size is not a number");
            }
            return size;
        }
    }

    private static final class NestedPackage {
        private final String path;
        private final PackageWalk walk;
        private final BufferedInputStream contents;

        NestedPackage(String path, InputStream contents, PackageWalk walk) {
            this.path = path;
            this.walk = walk;
            this.contents = new BufferedInputStream(contents);
        }

        /** Returns the whole file; valid only if {@link #walk} returned false. */
        InputStream contents() {
            return contents;
        }

        /**
         * Visits the entries of the file if it is a package. Reports a damaged package as a problem. Returns false if
         * the caller must visit the file itself.
         */
        boolean walk() throws IOException {
            try {
                return walkIfPackage();
            } catch (IOException e) {
                if (isOverLimit(e)) {
                    throw e;
                }
                walk.problem(path, IoReason.of(e));
                return true;
            }
        }

        private boolean walkIfPackage() throws IOException {
            if (walk.wantsPackage(path)) {
                return false;
            }
            contents.mark(PackageFormat.HEAD_LENGTH);
            byte[] head = contents.readNBytes(PackageFormat.HEAD_LENGTH);
            contents.reset();
            PackageFormat format = PackageFormat.of(head, head.length);
            // A compressed file that the visitor wants is a module or a list, and is visited unchanged.
            if (format == PackageFormat.NONE || format == PackageFormat.PACKED && walk.wants(path)) {
                return false;
            }
            try (OpenPackage inner = open(format)) {
                if (inner == null) {
                    return true;
                }
                if (walk.mayDescend()) {
                    inner.walk(walk.into(path, inner.info()));
                } else {
                    walk.problem(path, "a package nested too deep; not read");
                }
            }
            return true;
        }

        /**
         * Opens the package; returns null for a package index, and for a compressed file without a readable package.
         */
        private @Nullable OpenPackage open(PackageFormat format) throws IOException {
            try {
                return format.open(contents, walk.budget());
            } catch (UnreadableException e) {
                if (!isOverLimit(e) && (format == PackageFormat.PACKED || e.kind() == UnreadableKind.OTHER_FORMAT)) {
                    return null;
                }
                throw e;
            }
        }

        private static boolean isOverLimit(IOException e) {
            return e instanceof UnreadableException unreadable && unreadable.kind() == UnreadableKind.OVER_LIMIT;
        }
    }

    /**
     * An OpenWrt package: a tar archive of debian-binary, control.tar and data.tar. The data usually come before the
     * control file and are then kept in memory, compressed.
     */
    private static final class IpkPackage implements OpenPackage {
        private static final int MAX_HELD = 64 << 20;

        private final InputStream in;
        private final InputStream data;
        private final PackageInfo info;

        private IpkPackage(InputStream in, InputStream data, PackageInfo info) {
            this.in = in;
            this.data = data;
            this.info = info;
        }

        static boolean beginsWith(RawEntry first) {
            return "/debian-binary".equals(EntryPath.of(first.name()));
        }

        static IpkPackage open(InputStream in, TarReader tar, PackageBudget budget) throws IOException {
            PackageInfo info = null;
            byte[] held = null;
            for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
                budget.spendEntry(entry.name().length());
                String path = String.valueOf(EntryPath.of(entry.name()));
                if (path.startsWith("/control.tar")) {
                    info = ControlArchive.read(tar.contents(), PackageKind.IPK, budget);
                } else if (path.startsWith("/data.tar") && info != null) {
                    return new IpkPackage(in, tar.contents(), info);
                } else if (path.startsWith("/data.tar")) {
                    held = held(tar.contents());
                }
                if (info != null && held != null) {
                    return new IpkPackage(in, new ByteArrayInputStream(held), info);
                }
            }
            throw new UnreadableException("an OpenWrt package without " + missing(info));
        }

        private static String missing(@Nullable PackageInfo info) {
            return info == null ? "its control.tar" : "its data.tar";
        }

        private static byte[] held(InputStream contents) throws IOException {
            byte[] bytes = contents.readNBytes(MAX_HELD + 1);
            if (bytes.length > MAX_HELD) {
                throw new UnreadableException("its data.tar is larger than the limit of " + MAX_HELD + " bytes");
            }
            return bytes;
        }

        @Override
        public PackageInfo info() {
            return info;
        }

        @Override
        public void walk(PackageWalk walk) throws IOException {
            try (UnpackedStream unpacked = UnpackedStream.open(data, walk.budget())) {
                TarEntries.walk(unpacked, walk);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /**
     * A package of apk's second format, apk-v2(5): gzip members that together form one tar archive of signatures, a
     * description and files.
     */
    private static final class ApkPackage implements OpenPackage {
        private static final String OPERATORS = "<>=~";

        private final InputStream in;
        private final TarReader tar;
        private final PackageInfo info;

        private ApkPackage(InputStream in, TarReader tar, PackageInfo info) {
            this.in = in;
            this.tar = tar;
            this.info = info;
        }

        static boolean beginsWith(RawEntry first) {
            return first.name().equals(".PKGINFO") || first.name().startsWith(".SIGN.");
        }

        static ApkPackage open(InputStream in, RawEntry first, TarReader tar, PackageBudget budget) throws IOException {
            RawEntry entry = first;
            while (entry != null && entry.name().startsWith(".SIGN.")) {
                budget.spendEntry(entry.name().length());
                entry = tar.next();
            }
            if (entry == null || !entry.name().equals(".PKGINFO")) {
                throw new UnreadableException("corrupt apk package: no .PKGINFO after the signature");
            }
            return new ApkPackage(in, tar, parse(ControlArchive.text(tar.contents())));
        }

        private static PackageInfo parse(String text) {
            String name = "";
            String version = "";
            String product = null;
            List<PackageRelation> requires = new ArrayList<>();
            for (String line : text.split("\n")) {
                int equals = line.indexOf(" = ");
                if (equals < 0) {
                    continue;
                }
                String value = line.substring(equals + 3).strip();
                switch (line.substring(0, equals)) {
                    case "pkgname" -> name = value;
                    case "pkgver" -> version = value;
                    case "origin" -> product = value;
                    case "depend" -> addRequired(requires, value);
                    default -> {}
                }
            }
            return new PackageInfo(PackageKind.APK, name, version, product, requires);
        }

        /** Adds a dependency, but not a conflict, which starts with an exclamation mark. */
        private static void addRequired(List<PackageRelation> requires, String value) {
            if (!value.startsWith("!")) {
                requires.add(relation(value));
            }
        }

        private static PackageRelation relation(String text) {
            int start = 0;
            while (start < text.length() && OPERATORS.indexOf(text.charAt(start)) < 0) {
                start++;
            }
            int end = start;
            while (end < text.length() && OPERATORS.indexOf(text.charAt(end)) >= 0) {
                end++;
            }
            return new PackageRelation(text.substring(0, start), text.substring(start, end), text.substring(end));
        }

        @Override
        public PackageInfo info() {
            return info;
        }

        @Override
        public void walk(PackageWalk walk) throws IOException {
            for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
                if (!isMetadata(entry)) {
                    walk.entry(entry, tar.contents());
                }
            }
        }

        private static boolean isMetadata(RawEntry entry) {
            return entry.name().startsWith(".") && entry.name().indexOf('/') < 0;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
