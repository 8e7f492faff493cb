package dev.weaklink.format.archive;

import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile.OpenPackage;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageWalk.RawEntry;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.sys.RegularFile;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A container image: an OCI image layout in a directory or archive, or the output of {@code docker save}. The layers
 * are read from the topmost to the lowest, and only entries that a container would see are visited.
 */
final class OciImage implements OpenPackage {
    private static final int MAX_INDEXES = 4;
    private static final String DOCKER_MANIFEST = "/manifest.json";

    /** The architecture of an entry that is not an image but an attestation about another image. */
    private static final String UNKNOWN = "unknown";

    private final String manifest;
    private final List<ImageLayer> layers;
    private final List<String> others;

    private OciImage(String manifest, List<ImageLayer> layers, List<String> others) {
        this.manifest = manifest;
        this.layers = layers;
        this.others = others;
    }

    private interface ImageLayer {
        ImageMember open() throws IOException;

        default InputStream contents(ImageMember file) throws IOException {
            return file.contents();
        }
    }

    private record Blob(OciBlobs blobs, OciManifest.Descriptor descriptor) implements ImageLayer {
        @Override
        public ImageMember open() throws IOException {
            return blobs.open(descriptor);
        }

        @Override
        public InputStream contents(ImageMember file) throws IOException {
            return OciBlobs.verified(descriptor, file);
        }
    }

    static boolean isLayout(Path directory) {
        return Files.isRegularFile(directory.resolve("oci-layout"));
    }

    static OciImage open(Path directory) throws IOException {
        return open(new UnpackedFiles(Root.of(directory)));
    }

    static @Nullable OciImage inArchive(ImageFiles files) throws IOException {
        if (files.has(OciBlobs.LAYOUT) && files.has(OciBlobs.INDEX)) {
            return open(files);
        }
        return files.has(DOCKER_MANIFEST) ? ofDocker(files) : null;
    }

    /**
     * Returns an image in docker's older format, which skopeo and podman still write; null if {@code /manifest.json} is
     * not in this format or lists no image.
     */
    private static @Nullable OciImage ofDocker(ImageFiles files) throws IOException {
        List<List<String>> images;
        try (ImageMember file = files.open(DOCKER_MANIFEST)) {
            images = OciManifest.dockerLayers(OciBlobs.bytes(file.contents()));
        } catch (UnreadableException e) {
            return null; // not docker's manifest, but another file of this name
        }
        if (images.isEmpty()) {
            return null;
        }
        List<ImageLayer> layers = new ArrayList<>();
        for (String name : images.get(0)) {
            String path = EntryPath.of(name);
            if (path == null) {
                throw new UnreadableException("corrupt image: a layer's name is not a valid path");
            }
            layers.add(() -> files.open(path));
        }
        List<String> others = new ArrayList<>();
        for (int i = 1; i < images.size(); i++) {
            others.add("number " + (i + 1));
        }
        return new OciImage(DOCKER_MANIFEST, layers, others);
    }

    private static OciImage open(ImageFiles files) throws IOException {
        OciBlobs blobs = new OciBlobs(files);
        List<String> others = new ArrayList<>();
        OciManifest manifest = blobs.index();
        for (int i = 0; i < MAX_INDEXES && !manifest.images().isEmpty(); i++) {
            List<OciManifest.Descriptor> images = new ArrayList<>(manifest.images());
            images.removeIf(image -> image.architecture().equals(UNKNOWN));
            if (images.isEmpty()) {
                break;
            }
            images.subList(1, images.size()).forEach(other -> others.add(named(other)));
            manifest = blobs.manifest(images.get(0));
        }
        if (manifest.layers().isEmpty()) {
            throw new UnreadableException("an image layout without an image");
        }
        List<ImageLayer> layers = new ArrayList<>();
        manifest.layers().forEach(layer -> layers.add(new Blob(blobs, layer)));
        return new OciImage(OciBlobs.INDEX, layers, others);
    }

    @Override
    public PackageInfo info() {
        return PackageInfo.unnamed(PackageKind.OCI);
    }

    @Override
    public void walk(PackageWalk walk) throws IOException {
        for (String other : others) {
            walk.problem(manifest, "contains another image, " + other + "; not read");
        }
        UpperLayers upper = new UpperLayers();
        for (int i = layers.size() - 1; i >= 0; i--) {
            layer(layers.get(i), upper, walk);
            upper.descend();
        }
    }

    private static String named(OciManifest.Descriptor image) {
        return image.architecture().isEmpty() ? image.digest() : image.architecture();
    }

    private static void layer(ImageLayer layer, UpperLayers upper, PackageWalk walk) throws IOException {
        HardLinks links = new HardLinks(walk);
        read(layer, walk, (entry, contents) -> {
            String path = walk.accept(entry);
            if (path != null && upper.shows(path, entry.type())) {
                if (entry.type() == EntryType.HARDLINK) {
                    links.add(path, entry);
                } else {
                    walk.visit(path, entry, contents);
                }
            }
        });
        if (!links.isEmpty()) {
            read(layer, walk, links::visit);
            links.finish();
        }
    }

    private interface Taker {
        void take(RawEntry entry, InputStream contents) throws IOException;
    }

    private static void read(ImageLayer layer, PackageWalk walk, Taker taker) throws IOException {
        try (ImageMember file = layer.open()) {
            InputStream packed = layer.contents(file);
            UnpackedStream in = UnpackedStream.open(packed, walk.budget());
            TarReader tar = new TarReader(in);
            for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
                taker.take(entry, tar.contents());
            }
            // The digest is only verified after the last byte of the layer.
            packed.transferTo(OutputStream.nullOutputStream());
        }
    }

    @Override
    public void close() {
        // Each layer is closed as soon as it has been read.
    }

    private record UnpackedFiles(Root root) implements ImageFiles {
        @Override
        public boolean has(String path) throws IOException {
            return Files.exists(root.resolve(path));
        }

        /** Refuses anything but a regular file, because opening a pipe would wait for a writer. */
        @Override
        public ImageMember open(String path) throws IOException {
            Path file = root.resolve(path);
            if (!Files.exists(file)) {
                throw new UnreadableException("incomplete image: " + path + " is missing");
            }
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            if (!attributes.isRegularFile()) {
                throw new UnreadableException("corrupt image: " + path + " is not a file");
            }
            return new ImageMember(RegularFile.open(file), attributes.size());
        }
    }

    /**
     * The hard links of one layer whose paths the visitor wants. The contents are stored under another path, so the
     * layer is read again for them. In images made from ostree, such as RHEL CoreOS, every file is a hard link to its
     * object in /sysroot/ostree/repo.
     */
    private static final class HardLinks {
        private static final int MOST_HELD = 64 << 20;

        private final PackageWalk walk;
        private final Map<String, List<String>> byTarget = new HashMap<>();

        HardLinks(PackageWalk walk) {
            this.walk = walk;
        }

        boolean isEmpty() {
            return byTarget.isEmpty();
        }

        void add(String path, RawEntry link) {
            String target = EntryPath.of(link.target());
            if (target == null) {
                walk.problem(path, "a hard link that leads out of the image; left out");
            } else if (walk.wants(path)) {
                byTarget.computeIfAbsent(target, key -> new ArrayList<>()).add(path);
            }
        }

        void visit(RawEntry file, InputStream contents) throws IOException {
            String path = file.type() == EntryType.FILE ? EntryPath.of(file.name()) : null;
            List<String> names = path == null ? null : byTarget.remove(path);
            if (names == null) {
                return;
            }
            if (names.size() == 1) {
                visit(names.get(0), file, contents);
            } else if (file.size() > MOST_HELD) {
                walk.problem(names.get(0), "one of several hard links to a file of more than 64 MiB; all left out");
            } else {
                byte[] bytes = contents.readAllBytes();
                for (String name : names) {
                    visit(name, file, new ByteArrayInputStream(bytes));
                }
            }
        }

        private void visit(String name, RawEntry file, InputStream contents) throws IOException {
            walk.visit(name, RawEntry.file(name, file.size()), contents);
        }

        void finish() {
            for (List<String> names : byTarget.values()) {
                walk.problem(names.get(0), "a hard link to a file that is not in its layer; left out");
            }
        }
    }

    private record OciBlobs(ImageFiles files) {
        static final String LAYOUT = "/oci-layout";
        static final String INDEX = "/index.json";
        private static final int MAX_MANIFEST = 4 << 20;

        OciManifest index() throws IOException {
            try (ImageMember file = files.open(INDEX)) {
                return OciManifest.parse(bytes(file.contents()));
            }
        }

        OciManifest manifest(OciManifest.Descriptor descriptor) throws IOException {
            try (ImageMember file = open(descriptor)) {
                return OciManifest.parse(bytes(verified(descriptor, file)));
            }
        }

        ImageMember open(OciManifest.Descriptor descriptor) throws IOException {
            String digest = descriptor.digest();
            int colon = digest.indexOf(':');
            hex(digest);
            return files.open("/blobs/" + digest.substring(0, colon) + "/" + digest.substring(colon + 1));
        }

        /** Returns the contents of an open blob; reading fails at the end if the digest differs. */
        static InputStream verified(OciManifest.Descriptor descriptor, ImageMember file) throws IOException {
            ContentDigest digest = ContentDigest.of(hex(descriptor.digest()));
            return digest == null ? file.contents() : digest.verified(file.contents(), file.size());
        }

        static byte[] bytes(InputStream in) throws IOException {
            byte[] bytes = in.readNBytes(MAX_MANIFEST + 1);
            if (bytes.length > MAX_MANIFEST) {
                throw new UnreadableException(
                        "corrupt image: its index or a manifest is longer than " + MAX_MANIFEST + " bytes");
            }
            return bytes;
        }

        /** Returns the bytes of a sha256 or sha512 digest; throws for any other or an invalid digest. */
        private static byte[] hex(String digest) throws UnreadableException {
            int colon = digest.indexOf(':');
            if (digest.startsWith("sha256:") || digest.startsWith("sha512:")) {
                try {
                    byte[] bytes = HexFormat.of().parseHex(digest.substring(colon + 1));
                    if (bytes.length * Byte.SIZE == Integer.parseInt(digest.substring(3, colon))) {
                        return bytes;
                    }
                } catch (IllegalArgumentException e) {
                    // not hexadecimal
                }
            }
            throw new UnreadableException("corrupt image: a blob's digest is not a valid sha256 or sha512");
        }
    }

    /**
     * The paths that upper layers hide from the layers below them (OCI image specification, layer.md): replaced paths,
     * paths removed by whiteouts, and the former contents of opaque directories.
     */
    private static final class UpperLayers {
        private static final String WHITEOUT = ".wh.";
        private static final String OPAQUE = ".wh..wh..opq";

        private final Paths above = new Paths();

        /** The paths of the layer being read; a layer does not hide its own files. */
        private final Paths current = new Paths();

        private static final class Paths {
            final Set<String> directories = new HashSet<>();
            final Set<String> others = new HashSet<>();
            final Set<String> removed = new HashSet<>();
            final Set<String> emptied = new HashSet<>();

            void moveTo(Paths target) {
                target.directories.addAll(directories);
                target.others.addAll(others);
                target.removed.addAll(removed);
                target.emptied.addAll(emptied);
                directories.clear();
                others.clear();
                removed.clear();
                emptied.clear();
            }
        }

        /** Records an entry; returns false if the entry is a whiteout or hidden. */
        boolean shows(String path, EntryType type) {
            int slash = path.lastIndexOf('/');
            String name = path.substring(slash + 1);
            if (name.equals(OPAQUE)) {
                current.emptied.add(path.substring(0, slash));
                return false;
            }
            if (name.startsWith(WHITEOUT)) {
                current.removed.add(path.substring(0, slash + 1) + name.substring(WHITEOUT.length()));
                return false;
            }
            (type == EntryType.DIRECTORY ? current.directories : current.others).add(path);
            return !isHidden(path, type);
        }

        private boolean isHidden(String path, EntryType type) {
            if (above.others.contains(path) || above.removed.contains(path)) {
                return true;
            }
            if (type != EntryType.DIRECTORY && above.directories.contains(path)) {
                return true;
            }
            int slash = path.lastIndexOf('/');
            while (slash >= 0) {
                String parent = path.substring(0, slash);
                if (above.others.contains(parent) || above.removed.contains(parent) || above.emptied.contains(parent)) {
                    return true;
                }
                slash = slash == 0 ? -1 : path.lastIndexOf('/', slash - 1);
            }
            return false;
        }

        void descend() {
            current.moveTo(above);
        }
    }

    /**
     * An open file of an image.
     *
     * @param in a stream at the file's start, which may contain more bytes than the file
     * @param size the number of bytes
     */
    record ImageMember(InputStream in, long size) implements Closeable {
        InputStream contents() {
            return new EntryData(in, size);
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    interface ImageFiles {
        boolean has(String path) throws IOException;

        ImageMember open(String path) throws IOException;
    }

    /**
     * The blobs that an OCI image index or manifest refers to (OCI image specification, image-index.md and
     * manifest.md).
     *
     * @param images the manifests and indexes that an index lists
     * @param layers the layers that a manifest lists, from the lowest to the topmost
     */
    record OciManifest(List<Descriptor> images, List<Descriptor> layers) {
        /**
         * A reference to a blob.
         *
         * @param digest the digest, such as {@code sha256:…}, not yet checked
         * @param architecture the architecture of an image, empty if not stated
         */
        record Descriptor(String digest, String architecture) {}

        static OciManifest parse(byte[] bytes) throws IOException {
            try {
                JsonTree json = JsonTree.read(bytes);
                return new OciManifest(descriptors(json, "manifests"), descriptors(json, "layers"));
            } catch (UnreadableException e) {
                throw new UnreadableException("corrupt image: a manifest " + e.reason(), e);
            }
        }

        static List<List<String>> dockerLayers(byte[] bytes) throws IOException {
            String list = new String(bytes, StandardCharsets.UTF_8);
            byte[] object = ("{\"images\":" + list + "}").getBytes(StandardCharsets.UTF_8);
            try {
                return JsonTree.read(object).list("images", image -> image.texts("Layers"));
            } catch (UnreadableException e) {
                throw new UnreadableException("corrupt image: a manifest " + e.reason(), e);
            }
        }

        private static List<Descriptor> descriptors(JsonTree json, String key) throws UnreadableException {
            return json.listIfAny(key, one -> {
                String digest = one.text("digest");
                String architecture =
                        one.hasObject("platform") ? one.object("platform").text("architecture") : null;
                return new Descriptor(digest == null ? "" : digest, architecture == null ? "" : architecture);
            });
        }
    }
}
