package dev.weaklink.system.initramfs;

import dev.weaklink.format.archive.CpioReader;
import dev.weaklink.format.archive.CpioReader.CpioEntry;
import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.codec.DecodedStream;
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
 * What an initramfs holds, as the kernel would unpack it: cpio archives one after the other, each plain or compressed,
 * with zeros between them (Documentation/driver-api/early-userspace/ buffer-format.rst).
 *
 * @param modules the module files, in the image's order
 */
public record InitramfsImage(List<InitramfsModule> modules) {
    private static final int BUFFER_SIZE = 64 << 10;

    public InitramfsImage {
        modules = List.copyOf(modules);
    }

    /**
     * Reads an image; contents of files are passed over and not kept.
     *
     * @throws UnreadableException if it is missing, truncated, corrupt, packed in a way that is not known, or costs
     *     more than an image may
     */
    public static InitramfsImage read(Path file) throws UnreadableException {
        return read(file, ImageLimits.DEFAULT);
    }

    /** Names of the modules that images of a kernel have; those that cannot be read have none. */
    public static Set<String> moduleNames(Root root, String kernel) {
        Set<String> names = new TreeSet<>();
        List<ImageFile> images = SafeNames.isSafe(kernel) ? new ImageSearch(root).imagesOf(kernel) : List.of();
        for (ImageFile image : images) {
            try {
                read(image.host()).modules().forEach(module -> names.add(module.name()));
            } catch (UnreadableException e) {
                // who looks at the image itself says what is wrong with it
            }
        }
        return names;
    }

    static InitramfsImage read(Path file, ImageLimits limits) throws UnreadableException {
        return read(file, limits, null);
    }

    /** Reads an image and shows the contents of its modules one by one, if somebody wants them. */
    static InitramfsImage read(Path file, ImageLimits limits, @Nullable ContentsVisitor visitor)
            throws UnreadableException {
        try {
            requireReadable(file, limits);
            try (BufferedInputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_SIZE)) {
                return new InitramfsImage(new InitramfsReader(limits, visitor).read(in));
            }
        } catch (IOException e) {
            throw UnreadableException.of(file, e);
        }
    }

    /** Looks before the file is opened: opening a FIFO would wait for a writer. */
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
     * Goes through an image's segments as the kernel does (init/initramfs.c:unpack_to_rootfs): zeros are passed over, a
     * {@code '0'} starts a plain archive, all else must be the magic of a compression.
     */
    static final class InitramfsReader {
        private static final int BUFFER_SIZE = 64 << 10;
        private static final int PADDING_STEP = 8 << 10;

        /** The largest of a distribution's modules have about 30 MiB, with debugging information. */
        private static final long MAX_MODULE_SIZE = 256L << 20;

        private final ImageLimits limits;
        private final ImageEntries entries;
        private long unpacked;

        /** With somebody who wants the contents of modules, or null. */
        InitramfsReader(ImageLimits limits, @Nullable ContentsVisitor visitor) {
            this.limits = limits;
            this.entries = new ImageEntries(limits, visitor);
        }

        /** The modules of all archives; the stream is read to its end and left open. */
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
                throw new UnreadableException("holds no archive, only zeros");
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
                    throw new UnreadableException(compression.id() + " data without an archive in it");
                }
            }
        }

        /** One archive up to and with its trailer, without which the kernel takes none. */
        private void readArchive(InputStream in) throws IOException {
            CpioReader archive = new CpioReader(in);
            for (CpioEntry entry = archive.next(); entry != null; entry = archive.next()) {
                entries.add(entry.name(), entry.mode());
                // Of a file with several names only the last one is followed by its contents.
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
                throw new UnreadableException("holds a module of " + entry.size() + " bytes, over the limit");
            }
            return archive.contents().readNBytes((int) entry.size());
        }

        /** Passes over zeros and says whether anything comes after them. */
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

        /** Counts what comes out of the decoders against the image's limit. */
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

            /** By reading, so that what is skipped is counted. */
            @Override
            public long skip(long count) throws IOException {
                return count <= 0 ? 0 : readNBytes((int) Math.min(count, PADDING_STEP)).length;
            }

            @Override
            public boolean markSupported() {
                return false;
            }
        }

        /** Takes an image's entries one by one and keeps the modules. */
        private static final class ImageEntries {
            private static final int TYPE_MASK = 0170000;
            private static final int REGULAR = 0100000;
            private static final int SYMBOLIC_LINK = 0120000;

            /** Paths of all modules of a distribution come to about 0.5 MB. */
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

            /** Whether the contents of such an entry are wanted: a module's file, not a link. */
            boolean wantsContents(String path, int mode) {
                return visitor != null
                        && (mode & TYPE_MASK) == REGULAR
                        && ModuleNames.isModuleFile(InitramfsModule.fileName(path));
            }

            /** Takes the contents of the entry that was added last. */
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
                    throw new UnreadableException("has too many long module paths");
                }
                modules.add(new InitramfsModule(path));
            }

            /** dracut's squash modules put nearly everything into a file system image at the top. */
            private static void requireNoInnerImage(String path) throws UnreadableException {
                switch (path) {
                    case "squash-root.img", "squashfs-root.img", "erofs-root.img":
                        throw new UnreadableException("its modules are in " + path + ", a file system image");
                    default:
                }
            }

            List<InitramfsModule> modules() {
                return modules;
            }
        }
    }

    /** Takes the contents of an image's module files one by one. */
    @FunctionalInterface
    interface ContentsVisitor {
        /**
         * A module's file.
         *
         * @param contents as packed into the archive, which may be a compressed module
         */
        void visit(InitramfsModule module, byte[] contents) throws IOException;
    }

    /**
     * What one image may cost to read.
     *
     * @param packedBytes the most the file may hold
     * @param unpackedBytes the most its compressed archives may unpack to, all together
     * @param entries the most entries its archives may have, all together
     * @param decoderKib the most memory, in KiB, an xz or lzma decoder may need
     */
    record ImageLimits(long packedBytes, long unpackedBytes, int entries, int decoderKib) {
        /** Images with all firmware of a distribution unpack to about 1 GiB. */
        static final ImageLimits DEFAULT = new ImageLimits(2L << 30, 4L << 30, 200_000, 128 << 10);
    }

    /**
     * A module's file in an image, or a symbolic link that is named like one.
     *
     * @param path as the archive has it, mostly without a slash in front
     */
    public record InitramfsModule(String path) {
        /** The module's name as the kernel has it. */
        public String name() {
            return ModuleNames.ofFile(fileName(path));
        }

        /** Whether it lies in the module directory of this kernel release. */
        boolean isOf(String kernel) {
            return ("/" + path).contains("/lib/modules/" + kernel + "/");
        }

        static String fileName(String path) {
            return path.substring(path.lastIndexOf('/') + 1);
        }
    }
}
