package dev.weaklink.system.initramfs;

import dev.weaklink.format.archive.CpioReader;
import dev.weaklink.format.archive.CpioReader.CpioEntry;
import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.codec.DecodedStream;
import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.initramfs.ImageSearch.ImageFile;
import dev.weaklink.system.initramfs.ImageSearch.SafeNames;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The modules of an initramfs as the kernel would unpack it. An initramfs is a sequence of cpio archives, each plain or
 * compressed, possibly with zeros between them (Documentation/driver-api/early-userspace/buffer-format.rst).
 *
 * @param modules the module files, and the symbolic links named like modules, in the image's order
 */
public record InitramfsImage(List<InitramfsModule> modules) {
    private static final int BUFFER_SIZE = 64 << 10;

    public InitramfsImage {
        modules = List.copyOf(modules);
    }

    /**
     * Reads an initramfs image without keeping the contents of files.
     *
     * @throws UnreadableException if the image cannot be read, is invalid, exceeds a limit, or contains its modules in
     *     an inner file system image
     */
    public static InitramfsImage read(Path file) throws UnreadableException {
        return read(file, ImageLimits.DEFAULT);
    }

    public static Set<String> moduleNames(Root root, String kernel) {
        Set<String> names = new TreeSet<>();
        List<ImageFile> images = SafeNames.isSafe(kernel) ? new ImageSearch(root).imagesOf(kernel) : List.of();
        for (ImageFile image : images) {
            try {
                read(image.host()).modules().forEach(module -> names.add(module.name()));
            } catch (UnreadableException e) {
                // the check of the image itself reports the error
            }
        }
        return names;
    }

    static InitramfsImage read(Path file, ImageLimits limits) throws UnreadableException {
        return read(file, limits, null);
    }

    /**
     * Reads an initramfs image.
     *
     * @param visitor receives the contents of each module; null if they are not needed
     */
    static InitramfsImage read(Path file, ImageLimits limits, @Nullable ContentsVisitor visitor)
            throws UnreadableException {
        try {
            requireReadable(file, limits);
            try (BufferedInputStream in = new BufferedInputStream(RegularFile.open(file), BUFFER_SIZE)) {
                return new InitramfsImage(new InitramfsReader(limits, visitor).read(in));
            }
        } catch (IOException e) {
            throw UnreadableException.of(file, e);
        }
    }

    private static void requireReadable(Path file, ImageLimits limits) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        if (!attributes.isRegularFile()) {
            throw new UnreadableException("not a regular file");
        }
        if (attributes.size() == 0) {
            throw new UnreadableException("empty file");
        }
        if (attributes.size() > limits.packedBytes()) {
            throw new UnreadableException("larger than the limit of " + limits.packedBytes() + " bytes");
        }
    }

    /**
     * Parses the archives of an initramfs image like the kernel (init/initramfs.c:unpack_to_rootfs). Zeros are skipped,
     * a {@code '0'} starts a plain archive, and anything else must be the magic of a compression.
     */
    static final class InitramfsReader {
        private static final int BUFFER_SIZE = 64 << 10;
        private static final int PADDING_STEP = 8 << 10;

        /**
         * The maximum size of a module; the largest modules of distributions have about 30 MiB, including debug
         * information.
         */
        private static final long MAX_MODULE_SIZE = 256L << 20;

        private final ImageLimits limits;
        private final ImageEntries entries;
        private long unpacked;

        InitramfsReader(ImageLimits limits, @Nullable ContentsVisitor visitor) {
            this.limits = limits;
            this.entries = new ImageEntries(limits, visitor);
        }

        /** Returns the modules of all archives. The stream is read to its end and left open. */
        List<InitramfsModule> read(BufferedInputStream image) throws IOException {
            boolean any = false;
            while (skipZeros(image)) {
                any = true;
                image.mark(Compression.MAGIC_LENGTH);
                byte[] magic = image.readNBytes(Compression.MAGIC_LENGTH);
                image.reset();
                Compression compression = Compression.of(magic, 0, magic.length);
                if (compression != Compression.NONE) {
                    readCompressed(compression, image);
                } else if (magic[0] == '0') {
                    readArchive(image);
                } else {
                    throw new UnreadableException("neither a cpio archive nor a known compression");
                }
            }
            if (!any) {
                throw new UnreadableException("contains no archive, only zeros");
            }
            return entries.modules();
        }

        private void readCompressed(Compression compression, InputStream image) throws IOException {
            try (InputStream decoder = DecodedStream.openOne(image, compression, limits.decoderKib());
                    BufferedInputStream archives = new BufferedInputStream(new Unpacked(decoder), BUFFER_SIZE)) {
                boolean any = false;
                while (skipZeros(archives)) {
                    any = true;
                    readArchive(archives);
                }
                if (!any) {
                    throw new UnreadableException(compression.id() + " data that contains no cpio archive");
                }
            }
        }

        /** Reads one archive including its trailer, which the kernel requires. */
        private void readArchive(InputStream in) throws IOException {
            CpioReader archive = new CpioReader(in);
            for (CpioEntry entry = archive.next(); entry != null; entry = archive.next()) {
                entries.add(entry.name(), entry.mode());
                // Of several hard links to a file, the last has the contents.
                boolean elsewhere = entry.size() == 0 && entry.links() > 1;
                if (!elsewhere && entries.wantsContents(entry.name(), entry.mode())) {
                    entries.contents(contents(archive, entry));
                }
            }
            if (!archive.trailerSeen()) {
                throw new UnreadableException("truncated cpio archive: no trailer");
            }
        }

        private static byte[] contents(CpioReader archive, CpioEntry entry) throws IOException {
            if (entry.size() > MAX_MODULE_SIZE) {
                throw new UnreadableException("contains a module of " + entry.size() + " bytes, over the limit of "
                        + (MAX_MODULE_SIZE >> 20) + " MiB");
            }
            return archive.contents().readNBytes((int) entry.size());
        }

        private static boolean skipZeros(BufferedInputStream in) throws IOException {
            while (true) {
                in.mark(PADDING_STEP);
                byte[] bytes = in.readNBytes(PADDING_STEP);
                int zeros = 0;
                while (zeros < bytes.length && bytes[zeros] == 0) {
                    zeros++;
                }
                if (zeros < bytes.length) {
                    in.reset();
                    in.skipNBytes(zeros);
                    return true;
                }
                if (bytes.length < PADDING_STEP) {
                    return false;
                }
            }
        }

        /** A stream that counts the decompressed bytes against the image's limit. */
        private final class Unpacked extends FilterInputStream {
            Unpacked(InputStream decoder) {
                super(decoder);
            }

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                int count = in.read(bytes, offset, length);
                unpacked += Math.max(count, 0);
                if (unpacked > limits.unpackedBytes()) {
                    throw new UnreadableException(
                            "unpacks to more than the limit of " + limits.unpackedBytes() + " bytes");
                }
                return count;
            }

            /** Skips bytes by reading them, so that skipped bytes count towards the limit, too. */
            @Override
            public long skip(long count) throws IOException {
                return count <= 0 ? 0 : readNBytes((int) Math.min(count, PADDING_STEP)).length;
            }

            @Override
            public boolean markSupported() {
                return false;
            }
        }

        private static final class ImageEntries {
            private static final int TYPE_MASK = 0170000;
            private static final int REGULAR = 0100000;
            private static final int SYMBOLIC_LINK = 0120000;

            /**
             * The maximum number of characters of all module paths together; the paths of all modules of a distribution
             * have about 0.5 million.
             */
            private static final int MAX_PATH_CHARACTERS = 32 << 20;

            private final ImageLimits limits;
            private final @Nullable ContentsVisitor visitor;
            private final List<InitramfsModule> modules = new ArrayList<>();
            private int count;
            private int pathCharacters;

            ImageEntries(ImageLimits limits, @Nullable ContentsVisitor visitor) {
                this.limits = limits;
                this.visitor = visitor;
            }

            boolean wantsContents(String path, int mode) {
                return visitor != null
                        && (mode & TYPE_MASK) == REGULAR
                        && ModuleNames.isModuleFile(InitramfsModule.fileName(path));
            }

            void contents(byte[] bytes) throws IOException {
                if (visitor != null) {
                    visitor.visit(modules.get(modules.size() - 1), bytes);
                }
            }

            void add(String path, int mode) throws UnreadableException {
                if (++count > limits.entries()) {
                    throw new UnreadableException("has more than " + limits.entries() + " entries");
                }
                requireNoInnerImage(path);
                int type = mode & TYPE_MASK;
                boolean file = type == REGULAR || type == SYMBOLIC_LINK;
                if (!file || !ModuleNames.isModuleFile(InitramfsModule.fileName(path))) {
                    return;
                }
                pathCharacters += path.length();
                if (pathCharacters > MAX_PATH_CHARACTERS) {
                    throw new UnreadableException("the module paths are too long in total");
                }
                modules.add(new InitramfsModule(path));
            }

            /**
             * Refuses an initramfs image that dracut's squash module made. The top directory of such an initramfs
             * contains a file system image with nearly all files.
             */
            private static void requireNoInnerImage(String path) throws UnreadableException {
                switch (path) {
                    case "squash-root.img", "squashfs-root.img", "erofs-root.img":
                        throw new UnreadableException(
                                "the modules are in " + path + ", a file system image that weaklink cannot read");
                    default:
                }
            }

            List<InitramfsModule> modules() {
                return modules;
            }
        }
    }

    @FunctionalInterface
    interface ContentsVisitor {
        /**
         * Receives a module file.
         *
         * @param contents the bytes in the archive, which may be a compressed module
         */
        void visit(InitramfsModule module, byte[] contents) throws IOException;
    }

    /**
     * The limits for reading one initramfs image.
     *
     * @param packedBytes the maximum size of the file
     * @param unpackedBytes the maximum size of all compressed archives in the file together, after decompression
     * @param entries the maximum number of entries of all archives
     * @param decoderKib the maximum memory in KiB for an xz or lzma decoder
     */
    record ImageLimits(long packedBytes, long unpackedBytes, int entries, int decoderKib) {
        /** The default limits; initramfs images with all firmware of a distribution unpack to about 1 GiB. */
        static final ImageLimits DEFAULT = new ImageLimits(2L << 30, 4L << 30, 200_000, 128 << 10);
    }

    /**
     * A module file in an initramfs image, or a symbolic link named like a module.
     *
     * @param path the path in the archive, usually without a leading slash
     */
    public record InitramfsModule(String path) {
        public String name() {
            return ModuleNames.ofFile(fileName(path));
        }

        boolean isOf(String kernel) {
            return ("/" + path).contains("/lib/modules/" + kernel + "/");
        }

        static String fileName(String path) {
            return path.substring(path.lastIndexOf('/') + 1);
        }
    }
}
