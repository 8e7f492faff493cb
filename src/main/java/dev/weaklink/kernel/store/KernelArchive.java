package dev.weaklink.kernel.store;

import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.format.json.JsonTree;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.ImageFacts;
import dev.weaklink.kernel.ImageFacts.BuiltInModules;
import dev.weaklink.kernel.LoaderBehavior;
import dev.weaklink.kernel.LoaderBehaviorJson;
import dev.weaklink.kernel.LoaderBehaviorReader;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.Symvers;
import dev.weaklink.kernel.SymversReader;
import dev.weaklink.kernel.SymversWriter;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.sys.Sha256;
import dev.weaklink.sys.UnreadableException;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * A stored kernel as a zip archive of ordinary files. The files are, in this order: {@code facts.json}; {@code crcs},
 * if the kernel shares exports with other kernels; {@code Module.symvers} with all other exports; optionally
 * {@code vmlinux.btf}. The facts name the {@link SharedExports} and the types by their digests.
 *
 * @param kernel the stored kernel
 * @param facts the first file
 * @param crcs the kernel's CRCs of the shared exports, see {@link SharedExports#crcs}; null if no exports are shared
 * @param rows the exports that are not shared, as a Module.symvers
 * @param types the kernel's BTF section; null if the archive has none, or if the types were not requested
 */
@SuppressWarnings("ArrayRecordComponent")
record KernelArchive(TargetKernel kernel, byte[] facts, byte @Nullable [] crcs, byte[] rows, byte @Nullable [] types) {
    private static final String SCHEMA = "weaklink.stored-kernel/2";
    private static final String FACTS = "facts.json";
    private static final String CRCS = "crcs";
    private static final String SYMVERS = "Module.symvers";
    private static final String TYPES = "vmlinux.btf";
    private static final String SHARED = "sharedRows";
    private static final LocalDateTime NO_TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

    /** The maximum number of bytes of a file, packed or not. The Module.symvers of the largest kernels has 3 MiB. */
    static final int LIMIT = 64 << 20;

    @FunctionalInterface
    interface Shared {
        SharedExports find(String digest) throws UnreadableException;
    }

    /**
     * Returns the archive of a kernel.
     *
     * @param shared the exports to share with other kernels; null to store all exports in the archive
     */
    static KernelArchive of(TargetKernel kernel, @Nullable SharedExports shared, byte @Nullable [] types) {
        ExportTable exports = plain(kernel.exports());
        byte[] facts = facts(kernel, shared == null ? null : shared.digest(), types == null ? null : hex(types));
        return new KernelArchive(
                kernel,
                facts,
                shared == null ? null : shared.crcs(exports),
                SymversWriter.write(shared == null ? exports : shared.others(exports)),
                types);
    }

    static ExportTable plain(ExportTable exports) {
        byte[] text = SymversWriter.write(exports);
        return SymversReader.read(text, text.length).exports();
    }

    /**
     * Returns the SHA-256 of all files except the types, in hexadecimal digits. The facts contain the digest of the
     * types.
     */
    String digest() {
        return crcs == null ? hex(facts, rows) : hex(facts, crcs, rows);
    }

    /** Returns the digest of the shared exports; null if no exports are shared. */
    @Nullable
    String shared() throws IOException {
        return JsonTree.read(facts).text(SHARED);
    }

    boolean hasTypes() throws IOException {
        return JsonTree.read(facts).has("types");
    }

    Summary summary() throws IOException {
        return Summary.of(kernel, hasTypes());
    }

    /**
     * The identity of a stored kernel and the extent of the known facts. Archives of the same facts have equal
     * summaries, whichever {@link SharedExports} they refer to.
     *
     * @param identity digest of everything except the types
     * @param exports digest of the facts that the kernel's headers package also shows: machine and exports
     * @param isOfImage whether the kernel's vermagic is known, from its image or a module
     * @param types whether the kernel's types are known
     */
    record Summary(String identity, String exports, boolean isOfImage, boolean types) {
        static Summary of(TargetKernel kernel, boolean types) {
            byte[] rows = SymversWriter.write(kernel.exports());
            ElfIdentity elf = kernel.machine();
            String name = elf == null ? "" : elf.machineName();
            byte[] machine = name.getBytes(StandardCharsets.UTF_8);
            return new Summary(
                    hex(facts(kernel, null, null), rows), hex(machine, rows), kernel.vermagic() != null, types);
        }

        boolean covers(Summary other) {
            return (identity.equals(other.identity) || isFullerThan(other)) && (types || !other.types);
        }

        private boolean isFullerThan(Summary other) {
            return isOfImage && !other.isOfImage && exports.equals(other.exports);
        }

        /** Returns whether the other archive has further facts of the same kernel, but not the types. */
        boolean addsTypesTo(Summary other) {
            return types && !other.types && other.isFullerThan(this);
        }
    }

    String release() {
        return Objects.requireNonNullElse(kernel.release(), "");
    }

    String name() {
        return StoreEntry.fileName(release(), digest());
    }

    byte[] bytes() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream(1 << 19);
        try (ZipOutputStream zip = new ZipOutputStream(packed)) {
            zip.setLevel(Deflater.BEST_COMPRESSION);
            put(zip, FACTS, facts);
            if (crcs != null) {
                put(zip, CRCS, crcs);
            }
            put(zip, SYMVERS, rows);
            if (types != null) {
                zip.setLevel(Deflater.DEFAULT_COMPRESSION); // as small as the best level, in a sixth of the time
                put(zip, TYPES, types);
            }
        }
        return packed.toByteArray();
    }

    private static void put(ZipOutputStream zip, String name, byte[] contents) throws IOException {
        ZipEntry entry = new ZipEntry(name);
        entry.setTimeLocal(NO_TIME);
        zip.putNextEntry(entry);
        zip.write(contents);
    }

    private static byte[] facts(TargetKernel kernel, @Nullable String shared, @Nullable String types) {
        long size = kernel.structModuleSize();
        return JsonOutput.line(object(
                "schema",
                SCHEMA,
                "release",
                kernel.release(),
                "machine",
                machine(kernel.machine()),
                "vermagic",
                kernel.vermagic(),
                "structModuleSize",
                size < 0 ? null : size,
                "builtIn",
                new TreeSet<>(kernel.image().builtIn().taken()),
                "builtInPossible",
                new TreeSet<>(kernel.image().builtIn().possible()),
                "builtInComplete",
                kernel.image().builtIn().complete() ? true : null,
                "rules",
                LoaderBehaviorJson.of(kernel.rules()),
                SHARED,
                shared,
                "types",
                types));
    }

    private static @Nullable Object machine(@Nullable ElfIdentity machine) {
        return machine == null
                ? null
                : object(
                        "machine", machine.machine(),
                        "is64", machine.is64(),
                        "littleEndian", machine.littleEndian(),
                        "flags", machine.flags());
    }

    /**
     * Reads an archive.
     *
     * @throws UnreadableException if the stream is not an archive of this version, or the archive or its shared exports
     *     are incomplete or corrupt
     * @throws IOException if the stream cannot be read
     */
    static KernelArchive read(InputStream archive, Shared shared, boolean withTypes) throws IOException {
        try (ZipInputStream zip = new ZipInputStream(archive)) {
            byte[] facts = next(zip, FACTS);
            JsonTree json = json(facts);
            String digest = json.require("schema").equals(SCHEMA) ? json.text(SHARED) : null;
            byte[] crcs = digest == null ? null : next(zip, CRCS);
            byte[] rows = next(zip, SYMVERS);
            String wanted = json.text("types");
            byte[] types = withTypes && wanted != null ? next(zip, TYPES) : null;
            if (types != null && !hex(types).equals(wanted)) {
                throw new UnreadableException("its type information (BTF) does not match its digest");
            }
            TargetKernel kernel = kernel(json, rows);
            if (digest != null && crcs != null) {
                kernel = kernel.exporting(shared.find(digest).with(crcs, kernel.exports()));
            }
            if (kernel.exports().size() == 0) {
                throw new UnreadableException("has no exports");
            }
            return new KernelArchive(kernel, facts, crcs, rows, types);
        } catch (ZipException | EOFException | IllegalArgumentException e) {
            throw new UnreadableException("is truncated or corrupt", e);
        }
    }

    private static JsonTree json(byte[] facts) throws IOException {
        try {
            return JsonTree.read(facts);
        } catch (UnreadableException e) {
            throw new UnreadableException(FACTS + " " + e.reason(), e);
        }
    }

    private static byte[] next(ZipInputStream zip, String name) throws IOException {
        ZipEntry entry = zip.getNextEntry();
        if (entry == null || !entry.getName().equals(name)) {
            throw new UnreadableException("is not a kernel stored by this version of weaklink");
        }
        return contents(zip, name);
    }

    private static byte[] contents(ZipInputStream zip, String name) throws IOException {
        byte[] contents = zip.readNBytes(LIMIT);
        if (zip.read() >= 0) {
            throw new UnreadableException(name + " is longer than the limit of " + LIMIT + " bytes");
        }
        return contents;
    }

    private static TargetKernel kernel(JsonTree facts, byte[] rows) throws IOException {
        if (!facts.require("schema").equals(SCHEMA)) {
            throw new UnreadableException("is not a kernel stored by this version of weaklink");
        }
        Map<LoaderRule, LoaderBehavior.Setting> rules = LoaderBehaviorJson.read(facts.object("rules"));
        Symvers symvers = SymversReader.read(rows, rows.length);
        String release = facts.require("release");
        if (!StoreEntry.isPlainRelease(release) || !rules.containsKey(LoaderRule.VERSION)) {
            throw new UnreadableException("is incomplete");
        }
        if (!symvers.problems().isEmpty()) {
            throw new UnreadableException("has invalid rows of exports");
        }
        return new TargetKernel(
                release,
                release,
                facts.has("machine") ? machine(facts.object("machine")) : null,
                facts.text("vermagic"),
                facts.has("structModuleSize") ? facts.longNumber("structModuleSize") : -1,
                symvers.exports(),
                true,
                false,
                ImageFacts.of(
                        new BuiltInModules(
                                Set.copyOf(facts.texts("builtIn")),
                                Set.copyOf(facts.textsIfAny("builtInPossible")),
                                facts.isTrue("builtInComplete")),
                        null),
                LoaderBehaviorReader.completed(rules, release),
                Set.of());
    }

    private static ElfIdentity machine(JsonTree json) throws UnreadableException {
        return new ElfIdentity(json.number("machine"), json.isTrue("is64"), json.isTrue("littleEndian"), (int)
                json.longNumber("flags"));
    }

    static String hex(byte[]... parts) {
        MessageDigest sha256 = Sha256.start();
        for (byte[] part : parts) {
            sha256.update(part);
        }
        return Sha256.hex(sha256);
    }
}
