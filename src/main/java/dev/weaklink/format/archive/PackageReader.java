package dev.weaklink.format.archive;

import dev.weaklink.format.archive.OciImage.ImageFiles;
import dev.weaklink.format.archive.OciImage.ImageMember;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile.OpenPackage;
import dev.weaklink.format.archive.PackageWalk.RawEntry;
import dev.weaklink.format.archive.UnpackedStream.CountingStream;
import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.UnreadableException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Opens packages of every format, identified by contents and never by name. */
public final class PackageReader {
    private PackageReader() {}

    /**
     * Returns whether a file, or a directory in OCI image layout, is a package according to its contents. A damaged
     * package counts if it can still be recognized. A compressed file counts only if it contains a package.
     */
    public static boolean isPackage(Path file) {
        if (Files.isDirectory(file)) {
            return OciImage.isLayout(file);
        }
        try {
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
        try (InputStream in = RegularFile.open(file)) {
            byte[] head = in.readNBytes(PackageFormat.HEAD_LENGTH);
            return PackageFormat.of(head, head.length);
        }
    }

    private static @Nullable OpenPackage image(Path file, PackageLimits limits) throws IOException {
        ImageFiles files;
        try {
            files = ArchivedFiles.of(file, new PackageBudget(limits));
        } catch (UnreadableException e) {
            return null; // the archive is damaged, but its first part can still be read
        }
        return OciImage.inArchive(files);
    }

    private static boolean canBeOpened(Path file) throws IOException {
        try (OpenPackage open = open(RegularFile.open(file), new PackageBudget(PackageLimits.DEFAULT))) {
            return true;
        }
    }

    /** Returns whether an apk file is a package; package indexes have the same format. */
    private static boolean holdsPackage(Path file) {
        try {
            return canBeOpened(file);
        } catch (UnreadableException e) {
            return e.kind() != UnreadableException.UnreadableKind.OTHER_FORMAT;
        } catch (IOException e) {
            return true;
        }
    }

    public static PackageFile open(Path file, PackageLimits limits) throws UnreadableException {
        return open(file, limits, count -> {});
    }

    /**
     * Opens a package. The caller must close the result.
     *
     * @param progress receives the number of bytes of each read, except for container images
     * @throws UnreadableException if the file does not exist, is not a package, or cannot be read
     */
    public static PackageFile open(Path file, PackageLimits limits, LongConsumer progress) throws UnreadableException {
        try {
            PackageBudget budget = new PackageBudget(limits);
            if (Files.isDirectory(file) && OciImage.isLayout(file)) {
                return new PackageFile(file, OciImage.open(file), budget);
            }
            OpenPackage image = format(file) == PackageFormat.TAR ? image(file, limits) : null;
            if (image != null) {
                return new PackageFile(file, image, budget);
            }
            InputStream in = new CountingStream(RegularFile.open(file), progress);
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

    private static final class ArchivedFiles implements ImageFiles {
        private final Path archive;
        private final Map<String, Extent> extents = new HashMap<>();

        private record Extent(long offset, long size) {}

        private ArchivedFiles(Path archive) {
            this.archive = archive;
        }

        static ArchivedFiles of(Path archive, PackageBudget budget) throws IOException {
            ArchivedFiles files = new ArchivedFiles(archive);
            try (CountingStream in = new CountingStream(RegularFile.open(archive))) {
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
            InputStream in = RegularFile.open(archive);
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
     * The limits for reading one package, including everything nested inside.
     *
     * @param entries the maximum number of entries
     * @param nameBytes the maximum number of characters of all names and link targets together
     * @param entryBytes the maximum size of an entry whose contents are visited
     * @param totalBytes the maximum number of bytes of all streams after decompression
     * @param expansion the maximum factor by which a compressed stream may grow, checked only above 256 MiB
     * @param depth the maximum nesting depth of packages; a package that is not in a tar archive has depth 1
     * @param decoderKib the maximum memory in KiB for decoding one xz or lzma stream
     */
    public record PackageLimits(
            int entries, long nameBytes, long entryBytes, long totalBytes, int expansion, int depth, int decoderKib) {
        /** The default limits, far above any kernel package or archive of drivers, yet safe on a small machine. */
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
