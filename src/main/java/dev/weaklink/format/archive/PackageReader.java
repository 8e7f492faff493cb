package dev.weaklink.format.archive;

import dev.weaklink.format.archive.OciImage.ImageFiles;
import dev.weaklink.format.archive.OciImage.ImageMember;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile.OpenPackage;
import dev.weaklink.format.archive.PackageWalk.RawEntry;
import dev.weaklink.format.archive.UnpackedStream.CountingStream;
import dev.weaklink.sys.UnreadableException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Opens packages of every format, recognised by their contents, never by their names. */
public final class PackageReader {
    private PackageReader() {}

    /**
     * Whether a file of the host, or a directory in OCI image layout, is a package, by its contents; of a broken one as
     * far as can be seen. Other compressed files are none.
     */
    public static boolean isPackage(Path file) {
        if (Files.isDirectory(file)) {
            return OciImage.isLayout(file);
        }
        try {
            requireRegular(file);
            return switch (format(file)) {
                case NONE -> false;
                case PACKED -> canBeOpened(file);
                case APK_V3 -> holdsPackage(file);
                default -> true;
            };
        } catch (IOException e) {
            return false;
        }
    }

    private static PackageFormat format(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] head = in.readNBytes(PackageFormat.HEAD_LENGTH);
            return PackageFormat.of(head, head.length);
        }
    }

    /** The container image in a tar archive, null if it holds none. */
    private static @Nullable OpenPackage image(Path file, PackageLimits limits) throws IOException {
        ImageFiles files;
        try {
            files = ArchivedFiles.of(file, new PackageBudget(limits));
        } catch (UnreadableException e) {
            return null; // what is before the damage is still an archive
        }
        return OciImage.inArchive(files);
    }

    private static boolean canBeOpened(Path file) throws IOException {
        try (OpenPackage open = open(Files.newInputStream(file), new PackageBudget(PackageLimits.DEFAULT))) {
            return true;
        }
    }

    /** Lists of packages are of the same format. */
    private static boolean holdsPackage(Path file) {
        try {
            return canBeOpened(file);
        } catch (UnreadableException e) {
            return e.kind() != UnreadableException.Kind.OTHER_FORMAT;
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * Opens a package.
     *
     * @throws UnreadableException if there is no such file, or it is no package, or one that cannot be read
     */
    public static PackageFile open(Path file, PackageLimits limits) throws UnreadableException {
        return open(file, limits, count -> {});
    }

    /** The same; {@code progress} takes how many bytes more of it have been read. */
    public static PackageFile open(Path file, PackageLimits limits, LongConsumer progress) throws UnreadableException {
        try {
            PackageBudget budget = new PackageBudget(limits);
            if (Files.isDirectory(file) && OciImage.isLayout(file)) {
                return new PackageFile(file, OciImage.open(file), budget);
            }
            requireRegular(file);
            OpenPackage image = format(file) == PackageFormat.TAR ? image(file, limits) : null;
            if (image != null) {
                return new PackageFile(file, image, budget);
            }
            InputStream in = new CountingStream(Files.newInputStream(file), progress);
            return new PackageFile(file, open(in, budget), budget);
        } catch (IOException e) {
            throw UnreadableException.of(file, e);
        }
    }

    private static OpenPackage open(InputStream raw, PackageBudget budget) throws IOException {
        BufferedInputStream in = new BufferedInputStream(raw, 64 << 10);
        try {
            in.mark(PackageFormat.HEAD_LENGTH);
            byte[] head = in.readNBytes(PackageFormat.HEAD_LENGTH);
            in.reset();
            return PackageFormat.of(head, head.length).open(in, budget);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    /** Opening a FIFO would wait for a writer. */
    private static void requireRegular(Path file) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile()) {
            throw new IOException(attributes.isDirectory() ? "is a directory" : "not a regular file");
        }
    }

    /** Those in a tar archive that is not compressed: its headers are read once, files where asked. */
    private static final class ArchivedFiles implements ImageFiles {
        private final Path archive;
        private final Map<String, Extent> extents = new HashMap<>();

        private record Extent(long offset, long size) {}

        private ArchivedFiles(Path archive) {
            this.archive = archive;
        }

        /** The files of an archive. What is there twice is what an unpacked one would have. */
        static ArchivedFiles of(Path archive, PackageBudget budget) throws IOException {
            ArchivedFiles files = new ArchivedFiles(archive);
            try (CountingStream in = new CountingStream(Files.newInputStream(archive))) {
                TarReader tar = new TarReader(in);
                for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
                    budget.spendEntry(entry.name().length());
                    String path = EntryPath.of(entry.name());
                    if (path != null && entry.type() == EntryType.FILE) {
                        files.extents.put(path, new Extent(in.count(), entry.size()));
                    }
                }
            }
            return files;
        }

        @Override
        public boolean has(String path) {
            return extents.containsKey(path);
        }

        @Override
        public ImageMember open(String path) throws IOException {
            Extent extent = extents.get(path);
            if (extent == null) {
                throw new UnreadableException("incomplete image: " + path + " is missing");
            }
            InputStream in = Files.newInputStream(archive);
            try {
                in.skipNBytes(extent.offset);
            } catch (IOException e) {
                in.close();
                throw e;
            }
            return new ImageMember(in, extent.size);
        }
    }

    /**
     * What one package may cost to read, everything inside it included.
     *
     * @param entries the most entries
     * @param nameBytes the most characters all names and link targets may have together
     * @param entryBytes the largest entry whose contents are handed over
     * @param totalBytes the most bytes its streams may hold, after decompression
     * @param expansion how many times its size a compressed stream may grow; the first 256 MiB are free
     * @param depth how deep packages may be nested; what is no bundle of packages has depth 1
     * @param decoderKib the most memory, in KiB, one stream may ask for to be decoded
     */
    public record PackageLimits(
            int entries, long nameBytes, long entryBytes, long totalBytes, int expansion, int depth, int decoderKib) {
        /** Far above any kernel or driver bundle, and still safe on a small machine. */
        public static final PackageLimits DEFAULT =
                new PackageLimits(500_000, 64L << 20, 512L << 20, 16L << 30, 250, 4, 128 << 10);

        public PackageLimits {
            if (entries < 0 || nameBytes < 0 || entryBytes < 0 || totalBytes < 0 || expansion < 1) {
                throw new IllegalArgumentException("limit out of range");
            }
            if (depth < 1 || decoderKib < 1) {
                throw new IllegalArgumentException("limit out of range");
            }
        }
    }
}
