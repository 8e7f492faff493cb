package dev.weaklink.kernel.store;

import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.codec.RawFile;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.kernel.store.KernelArchive.Summary;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.UnreadableException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Stored kernels as an OCI artefact, in a directory or in a registry. Each file is a layer, with its name as title.
 * Files that the target already contains are not transferred again.
 */
public final class StoreTransfer {
    private static final String DIRECTORY = "oci:";
    private static final String TITLE = "org.opencontainers.image.title";
    private static final String IDENTITY = "dev.weaklink.kernel";
    private static final String SHARED = "dev.weaklink.shared-rows";
    private static final String EXPORTS = "dev.weaklink.exports";
    private static final String IMAGE = "dev.weaklink.image";
    private static final String TYPES = "dev.weaklink.types";
    private static final String ARTEFACT = "application/vnd.weaklink.kernels.v1";
    private static final String LAYER = "application/vnd.weaklink.kernel.v1";
    static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";
    private static final String NO_CONFIG = "application/vnd.oci.empty.v1+json";
    private static final byte[] EMPTY = {'{', '}'};

    private static final int MOST_LAYERS = 10_000;

    /** The maximum number of bytes that one pull receives from a registry. */
    private static final long MOST_BYTES = 8L << 30;

    private static final String STAGING = "weaklink-";

    private final @Nullable ImageLayout directory;
    private final @Nullable OciRegistry registry;

    private StoreTransfer(@Nullable ImageLayout directory, @Nullable OciRegistry registry) {
        this.directory = directory;
        this.registry = registry;
    }

    @FunctionalInterface
    public interface Listener {
        void done(String name) throws IOException;
    }

    /**
     * Returns access to the OCI artefact that a name refers to.
     *
     * @param name {@code oci:DIRECTORY}, or {@code HOST[:PORT]/NAME[:TAG]} in a registry
     * @throws IOException if the name has neither form
     */
    public static StoreTransfer at(String name) throws IOException {
        return name.startsWith(DIRECTORY)
                ? new StoreTransfer(new ImageLayout(Path.of(name.substring(DIRECTORY.length()))), null)
                : new StoreTransfer(null, OciRegistry.of(name));
    }

    public void push(KernelStore store, List<StoreEntry> entries, Listener done) throws IOException {
        ImageLayout layout = directory;
        if (layout != null) {
            layout.tidy();
            write(store, entries, layout, (file, bytes) -> {
                if (layout.put(bytes)) {
                    done.done(file);
                }
            });
        } else if (registry != null) {
            pushTo(registry, store, entries, done);
        }
    }

    private static void pushTo(OciRegistry registry, KernelStore store, List<StoreEntry> entries, Listener done)
            throws IOException {
        Set<String> known = digests(registry);
        List<String> names = new ArrayList<>();
        Path staging = Files.createTempDirectory(STAGING);
        try {
            ImageLayout layout = new ImageLayout(staging);
            write(store, entries, layout, (file, bytes) -> {
                layout.link(KernelArchive.hex(bytes), store.file(file));
                if (!known.contains(KernelArchive.hex(bytes))) {
                    names.add(file);
                }
            });
            registry.push(staging);
        } finally {
            DurableFiles.deleteTree(staging);
        }
        for (String name : names) {
            done.done(name);
        }
    }

    private static Set<String> digests(OciRegistry registry) {
        Set<String> digests = new HashSet<>();
        try {
            layers(registry.manifest()).forEach(layer -> digests.add(layer.digest()));
        } catch (IOException e) {
            // The registry has no manifest before the first push. Any other error will make the copy fail, too.
        }
        return digests;
    }

    @FunctionalInterface
    private interface Receiver {
        void take(String file, byte[] bytes) throws IOException;
    }

    private static void write(KernelStore store, List<StoreEntry> entries, ImageLayout layout, Receiver files)
            throws IOException {
        Map<String, Object> layers = new TreeMap<>();
        for (StoreEntry entry : entries) {
            KernelArchive archive = store.open(entry);
            String shared = archive.shared();
            String rows = shared == null ? null : SharedExports.fileName(shared);
            if (rows != null && !layers.containsKey(rows)) {
                layers.put(rows, layer(store, rows, object(TITLE, rows), files));
            }
            String name = String.valueOf(entry.file().getFileName());
            layers.put(name, layer(store, name, annotations(name, shared, archive.summary()), files));
        }
        layout.put(EMPTY);
        layout.putManifest(JsonOutput.line(object(
                "schemaVersion",
                2,
                "mediaType",
                MANIFEST,
                "artifactType",
                ARTEFACT,
                "config",
                descriptor(NO_CONFIG, EMPTY, null),
                "layers",
                List.copyOf(layers.values()))));
    }

    private static Object layer(KernelStore store, String name, Object annotations, Receiver files) throws IOException {
        byte[] bytes = RawFile.read(store.file(name), KernelArchive.LIMIT);
        files.take(name, bytes);
        return descriptor(LAYER, bytes, annotations);
    }

    private static Object annotations(String name, @Nullable String shared, Summary summary) {
        return object(
                TITLE, name,
                IDENTITY, summary.identity(),
                EXPORTS, summary.exports(),
                IMAGE, String.valueOf(summary.isOfImage()),
                TYPES, String.valueOf(summary.types()),
                SHARED, shared);
    }

    private static Object descriptor(String type, byte[] bytes, @Nullable Object annotations) {
        return object(
                "mediaType",
                type,
                "digest",
                "sha256:" + KernelArchive.hex(bytes),
                "size",
                bytes.length,
                "annotations",
                annotations);
    }

    /**
     * A layer of the OCI artefact: a stored kernel, or the exports that several kernels share ({@link SharedExports}).
     *
     * @param summary the kernel's summary; null for a layer of shared exports, or if the artefact does not record it
     * @param shared the digest of the shared exports that the kernel refers to; null for a layer of shared exports, or
     *     if the artefact records none
     */
    private record LibraryFile(
            String name,
            String digest,
            int size,
            @Nullable Summary summary,
            @Nullable String shared) {
        static LibraryFile of(JsonTree json) throws IOException {
            String digest = json.require("digest");
            long size = json.longNumber("size");
            JsonTree annotations = json.object("annotations");
            String name = annotations.require(TITLE);
            boolean plain = name.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '/');
            boolean known = plain && (SharedExports.isName(name) || StoreEntry.of(Path.of(name)) != null);
            if (!known
                    || !digest.startsWith("sha256:")
                    || !StoreEntry.isDigest(digest.substring("sha256:".length()))
                    || size < 0
                    || size > KernelArchive.LIMIT) {
                throw new IOException("not a library of kernels: a layer has an invalid name, digest or size");
            }
            return new LibraryFile(
                    name,
                    digest.substring("sha256:".length()),
                    (int) size,
                    summary(annotations),
                    annotations.text(SHARED));
        }

        private static @Nullable Summary summary(JsonTree annotations) throws IOException {
            String identity = annotations.text(IDENTITY);
            String exports = annotations.text(EXPORTS);
            return identity == null || exports == null
                    ? null
                    : new Summary(
                            identity,
                            exports,
                            "true".equals(annotations.text(IMAGE)),
                            "true".equals(annotations.text(TYPES)));
        }

        /**
         * Returns whether a store contains the file, possibly under another name: 'store add' may have stored the same
         * kernel with other shared exports.
         */
        boolean isIn(KernelStore store) throws IOException {
            StoreEntry kernel = StoreEntry.of(store.file(name));
            return store.has(name)
                    || kernel != null && summary != null && store.find(kernel.release(), summary) != null;
        }

        boolean isNeededBy(List<LibraryFile> layers) {
            String rows = name.substring(0, name.indexOf('.'));
            return layers.stream()
                    .anyMatch(kernel -> !kernel.isShared() && (kernel.summary == null || rows.equals(kernel.shared)));
        }

        boolean isShared() {
            return SharedExports.isName(name);
        }
    }

    /**
     * Adds the kernels that the store lacks, and the shared exports that they need. The listener receives the names of
     * the new kernels.
     *
     * @throws UnreadableException if the manifest is corrupt; or if a file is corrupt, after all other files were added
     * @throws IOException if the OCI artefact does not contain kernels, cannot be read, or the store cannot be written
     */
    public void pull(KernelStore store, Listener done) throws IOException {
        if (directory != null) {
            byte[] manifest = directory.manifest();
            if (manifest == null) {
                throw new IOException("no such library; 'weaklink store push' makes one");
            }
            take(wanted(layers(manifest), store), directory, store, done);
        } else if (registry != null) {
            pullFrom(registry, store, done);
        }
    }

    private static void pullFrom(OciRegistry registry, KernelStore store, Listener done) throws IOException {
        byte[] manifest = registry.manifest();
        List<LibraryFile> layers = layers(manifest);
        List<LibraryFile> wanted = wanted(layers, store);
        if (wanted.isEmpty()) {
            return;
        }
        Path staging = store.stagingDirectory();
        try {
            ImageLayout layout = new ImageLayout(staging);
            long largest = 0;
            long all = 0;
            for (LibraryFile layer : layers) {
                if (store.has(layer.name())) {
                    layout.link(layer.digest(), store.file(layer.name()));
                } else {
                    largest = Math.max(largest, layer.size());
                    all += layer.size();
                }
            }
            if (all > MOST_BYTES) {
                throw new IOException("has " + all + " bytes of new files; the limit is " + MOST_BYTES);
            }
            registry.pull(KernelArchive.hex(manifest), staging, largest);
            take(wanted, layout, store, done);
        } finally {
            DurableFiles.deleteTree(staging);
        }
    }

    private static List<LibraryFile> layers(byte[] manifest) throws IOException {
        JsonTree json = JsonTree.read(manifest);
        if (!ARTEFACT.equals(json.text("artifactType"))) {
            throw new IOException("not a library of kernels");
        }
        List<JsonTree> found = json.objects("layers");
        if (found.size() > MOST_LAYERS) {
            throw new IOException("has " + found.size() + " files; the limit is " + MOST_LAYERS);
        }
        Map<String, LibraryFile> layers = new LinkedHashMap<>();
        for (JsonTree one : found) {
            LibraryFile layer = LibraryFile.of(one);
            if (layers.put(layer.name(), layer) != null) {
                throw new IOException("not a library of kernels: " + layer.name() + " is in it twice");
            }
        }
        return List.copyOf(layers.values());
    }

    /**
     * Returns the kernels that the store lacks, after the missing shared exports that these kernels need. A kernel can
     * only be read with the exports that it shares.
     */
    private static List<LibraryFile> wanted(List<LibraryFile> layers, KernelStore store) throws IOException {
        List<LibraryFile> kernels = new ArrayList<>();
        List<LibraryFile> shared = new ArrayList<>();
        for (LibraryFile layer : layers) {
            if (!layer.isIn(store)) {
                (layer.isShared() ? shared : kernels).add(layer);
            }
        }
        List<LibraryFile> wanted = new ArrayList<>();
        for (LibraryFile rows : shared) {
            if (rows.isNeededBy(kernels)) {
                wanted.add(rows);
            }
        }
        wanted.addAll(kernels);
        return wanted;
    }

    private static void take(List<LibraryFile> wanted, ImageLayout layout, KernelStore store, Listener done)
            throws IOException {
        DurableFiles.createDirectories(store.directory());
        UnreadableException corrupt = null;
        for (LibraryFile layer : wanted) {
            try {
                byte[] bytes = layout.get(layer.digest(), layer.size());
                if (!KernelArchive.hex(bytes).equals(layer.digest())) {
                    throw new UnreadableException(layer.name() + " does not match its digest; not added");
                }
                if (store.take(layer.name(), bytes) && !layer.isShared()) {
                    done.done(layer.name());
                }
            } catch (UnreadableException e) {
                corrupt = corrupt == null ? e : corrupt; // the other layers are still taken
            }
        }
        if (corrupt != null) {
            throw corrupt;
        }
    }

    private record ImageLayout(Path directory) {
        private static final Pattern DIGEST = Pattern.compile("[0-9a-f]{64}");
        private static final Pattern NAMES = Pattern.compile("index\\.json|oci-layout");

        private Path blobs() {
            return directory.resolve("blobs/sha256");
        }

        private Path blob(String digest) {
            return blobs().resolve(digest);
        }

        void tidy() throws IOException {
            DurableFiles.removeDrafts(blobs(), DIGEST, KernelStore.FORGOTTEN);
            DurableFiles.removeDrafts(directory, NAMES, KernelStore.FORGOTTEN);
        }

        boolean put(byte[] bytes) throws IOException {
            Path blob = blob(KernelArchive.hex(bytes));
            if (Files.isRegularFile(blob, LinkOption.NOFOLLOW_LINKS)) {
                return false;
            }
            DurableFiles.createDirectories(blobs());
            DurableFiles.replace(blob, bytes);
            return true;
        }

        void link(String digest, Path file) throws IOException {
            Files.createDirectories(blobs());
            Files.deleteIfExists(blob(digest));
            Files.createSymbolicLink(blob(digest), file.toAbsolutePath());
        }

        byte[] get(String digest, int limit) throws IOException {
            return RawFile.read(blob(digest), limit);
        }

        byte @Nullable [] manifest() throws IOException {
            Path index = directory.resolve("index.json");
            if (!Files.exists(index)) {
                return null;
            }
            for (JsonTree found :
                    JsonTree.read(RawFile.read(index, KernelArchive.LIMIT)).objects("manifests")) {
                String digest = found.require("digest").replaceFirst("^sha256:", "");
                if (StoreEntry.isDigest(digest)) {
                    byte[] bytes = get(digest, KernelArchive.LIMIT);
                    if (KernelArchive.hex(bytes).equals(digest)) {
                        return bytes;
                    }
                }
                throw new UnreadableException("the digest of its manifest is invalid, or does not match the manifest");
            }
            return null;
        }

        void putManifest(byte[] manifest) throws IOException {
            put(manifest);
            byte[] index = JsonOutput.line(
                    object("schemaVersion", 2, "manifests", List.of(descriptor(MANIFEST, manifest, null))));
            DurableFiles.replace(directory.resolve("index.json"), index);
            byte[] layout = "{\"imageLayoutVersion\":\"1.0.0\"}\n".getBytes(StandardCharsets.UTF_8);
            DurableFiles.replace(directory.resolve("oci-layout"), layout);
        }
    }
}
