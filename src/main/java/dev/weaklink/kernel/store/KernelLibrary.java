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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Kernels of stores as an OCI artefact: a layer for each file of a store, with its name as title. What is there already
 * is not transferred again, so that a transfer that was broken off goes on.
 */
public final class KernelLibrary {
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

    private final Place place;

    private KernelLibrary(Place place) {
        this.place = place;
    }

    /** Gets the names of files as soon as they are transferred. */
    @FunctionalInterface
    public interface Listener {
        void done(String name) throws IOException;
    }

    /** Where artefacts are. Digests are hexadecimal digits of SHA-256. */
    interface Place {
        boolean has(String digest) throws IOException;

        void put(String digest, byte[] bytes) throws IOException;

        /** At most so many bytes. */
        byte[] get(String digest, int limit) throws IOException;

        /** Null if there is none. */
        byte @Nullable [] manifest() throws IOException;

        void put(byte[] manifest) throws IOException;
    }

    /**
     * The library at a place.
     *
     * @param name {@code oci:DIRECTORY}, or {@code HOST[:PORT]/NAME[:TAG]} in a registry
     * @throws IOException if it is neither
     */
    public static KernelLibrary at(String name) throws IOException {
        return new KernelLibrary(
                name.startsWith(DIRECTORY)
                        ? new OciDirectory(Path.of(name.substring(DIRECTORY.length())))
                        : OciRegistry.of(name));
    }

    /** Puts these kernels, and no others, in the library; the listener gets the names of new files. */
    public void push(KernelStore store, List<StoreEntry> entries, Listener done) throws IOException {
        Map<String, Object> layers = new TreeMap<>();
        for (StoreEntry entry : entries) {
            KernelArchive archive = store.open(entry);
            String shared = archive.shared();
            String rows = shared == null ? null : SharedRows.fileName(shared);
            if (rows != null && !layers.containsKey(rows)) {
                layers.put(rows, put(store.file(rows), object(TITLE, rows), done));
            }
            String name = String.valueOf(entry.file().getFileName());
            layers.put(name, put(entry.file(), annotations(name, shared, archive.summary()), done));
        }
        put(EMPTY);
        place.put(JsonOutput.line(object(
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

    private static Object annotations(String name, @Nullable String shared, Summary summary) {
        return object(
                TITLE, name,
                IDENTITY, summary.identity(),
                EXPORTS, summary.exports(),
                IMAGE, String.valueOf(summary.isOfImage()),
                TYPES, String.valueOf(summary.types()),
                SHARED, shared);
    }

    private Object put(Path file, Object annotations, Listener done) throws IOException {
        byte[] bytes = RawFile.read(file, KernelArchive.LIMIT);
        if (put(bytes)) {
            done.done(String.valueOf(file.getFileName()));
        }
        return descriptor(LAYER, bytes, annotations);
    }

    private boolean put(byte[] bytes) throws IOException {
        String digest = KernelArchive.hex(bytes);
        boolean there = place.has(digest);
        if (!there) {
            place.put(digest, bytes);
        }
        return !there;
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
     * A file of a library.
     *
     * @param summary what is in it; null for shared rows, or if it is not said
     * @param shared the digest of the rows it shares; null if it shares none, or it is not said
     */
    private record Layer(
            String name,
            String digest,
            int size,
            @Nullable Summary summary,
            @Nullable String shared) {
        static Layer of(JsonTree json) throws IOException {
            String digest = json.require("digest");
            long size = json.longNumber("size");
            JsonTree annotations = json.object("annotations");
            String name = annotations.require(TITLE);
            boolean plain = name.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '/');
            boolean known = plain && (SharedRows.isName(name) || StoreEntry.of(Path.of(name)) != null);
            if (!known
                    || !digest.startsWith("sha256:")
                    || !StoreEntry.isDigest(digest.substring("sha256:".length()))
                    || size < 0
                    || size > KernelArchive.LIMIT) {
                throw new IOException("not a library of kernels: it has other layers");
            }
            return new Layer(
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

        /** Whether a store has it, perhaps by another name, as kernels added by themselves do. */
        boolean isIn(KernelStore store) throws IOException {
            StoreEntry kernel = StoreEntry.of(store.file(name));
            return store.has(name)
                    || kernel != null && summary != null && store.find(kernel.release(), summary) != null;
        }

        boolean isNeededBy(List<Layer> layers) {
            String rows = name.substring(0, name.indexOf('.'));
            return layers.stream()
                    .anyMatch(kernel -> !kernel.isShared() && (kernel.summary == null || rows.equals(kernel.shared)));
        }

        boolean isShared() {
            return SharedRows.isName(name);
        }
    }

    /**
     * Takes over what the store does not have; the listener gets the names of new kernels.
     *
     * @throws UnreadableException if something is not what its name or digest says; all else was taken
     * @throws IOException if it is not a library, cannot be read, or the store cannot be written
     */
    public void pull(KernelStore store, Listener done) throws IOException {
        byte[] manifest = place.manifest();
        if (manifest == null) {
            throw new IOException("no such library; 'weaklink store push' makes one");
        }
        JsonTree json = JsonTree.read(manifest);
        if (!ARTEFACT.equals(json.text("artifactType"))) {
            throw new IOException("not a library of kernels");
        }
        List<Layer> layers = new ArrayList<>();
        for (JsonTree layer : json.objects("layers")) {
            layers.add(Layer.of(layer));
        }
        List<Layer> there = new ArrayList<>();
        for (Layer layer : layers) {
            if (layer.isIn(store)) {
                there.add(layer);
            }
        }
        layers.removeAll(there);
        layers.removeIf(layer -> layer.isShared() && !layer.isNeededBy(List.copyOf(layers)));
        // A kernel can only be read with the rows it shares.
        layers.sort((one, other) -> Boolean.compare(other.isShared(), one.isShared()));
        DurableFiles.createDirectories(store.directory());
        UnreadableException corrupt = null;
        for (Layer layer : layers) {
            byte[] bytes = place.get(layer.digest(), layer.size());
            try {
                if (!KernelArchive.hex(bytes).equals(layer.digest())) {
                    throw new UnreadableException(layer.name() + " is not what its digest says; not taken");
                }
                if (store.take(layer.name(), bytes) && !layer.isShared()) {
                    done.done(layer.name());
                }
            } catch (UnreadableException e) {
                corrupt = corrupt == null ? e : corrupt; // the others are taken all the same
            }
        }
        if (corrupt != null) {
            throw corrupt;
        }
    }

    /** An image layout in a directory. */
    private record OciDirectory(Path directory) implements Place {
        private Path blob(String digest) {
            return directory.resolve("blobs/sha256").resolve(digest);
        }

        @Override
        public boolean has(String digest) {
            return Files.isRegularFile(blob(digest), LinkOption.NOFOLLOW_LINKS);
        }

        @Override
        public void put(String digest, byte[] bytes) throws IOException {
            DurableFiles.createDirectories(directory.resolve("blobs/sha256"));
            DurableFiles.replace(blob(digest), bytes);
        }

        @Override
        public byte[] get(String digest, int limit) throws IOException {
            return RawFile.read(blob(digest), limit);
        }

        @Override
        public byte @Nullable [] manifest() throws IOException {
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
                throw new UnreadableException("its manifest is not what its digest says");
            }
            return null;
        }

        @Override
        public void put(byte[] manifest) throws IOException {
            put(KernelArchive.hex(manifest), manifest);
            byte[] index = JsonOutput.line(
                    object("schemaVersion", 2, "manifests", List.of(descriptor(MANIFEST, manifest, null))));
            DurableFiles.replace(directory.resolve("index.json"), index);
            byte[] layout = "{\"imageLayoutVersion\":\"1.0.0\"}\n".getBytes(StandardCharsets.UTF_8);
            DurableFiles.replace(directory.resolve("oci-layout"), layout);
        }
    }
}
