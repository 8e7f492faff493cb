package dev.weaklink.check;

import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.image.ImageReader;
import dev.weaklink.kernel.image.KernelImage;
import dev.weaklink.kernel.image.KernelImage.ImageTypes;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.cache.FactsCache;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel's exports and the types that they use.
 *
 * @param label the kernel's name in reports
 * @param release the kernel's release, null if unknown
 * @param exports the exports from the symvers file or the store, else from the image; null if unknown
 * @param types the types from the image or the store, null if there are none; a note or problem then gives the reason
 * @param tree the kernel's modules, null if they are not available
 * @param config the kernel's configuration, null if unknown
 * @param notes notes on unknown facts; the list grows when modules are read later
 * @param problems the inputs that could not be read
 */
record KernelWithTypes(
        String label,
        @Nullable String release,
        @Nullable ExportTable exports,
        @Nullable TypeGraph types,
        @Nullable ModuleTree tree,
        @Nullable KernelConfig config,
        List<String> notes,
        List<InputProblem> problems) {
    private static final String GENKSYMS = "genksyms";
    private static final String GENDWARFKSYMS = "gendwarfksyms";

    static KernelWithTypes read(FoundKernel found, FactsCache cache) {
        List<InputProblem> problems = new ArrayList<>();
        return read(found, exports(found, problems), cache, problems);
    }

    /**
     * Returns the exports from the kernel's symvers file or from the store; null if neither is usable, so that the
     * image must be read.
     */
    static @Nullable ExportTable exports(FoundKernel found, List<InputProblem> problems) {
        TargetKernel stored = found.files().stored();
        if (stored != null) {
            return stored.exports();
        }
        UsableSymvers symvers = found.symvers(new FileContents(Limits.TEXT), problems);
        return symvers == null ? null : symvers.symvers().exports();
    }

    static KernelWithTypes read(
            FoundKernel found, @Nullable ExportTable known, FactsCache cache, List<InputProblem> problems) {
        KernelFiles files = found.files();
        List<String> notes = new ArrayList<>();
        if (files.stored() != null) {
            TypeGraph types = stored(files, notes);
            String release = files.stored().release();
            return new KernelWithTypes(files.label(), release, known, types, null, null, notes, problems);
        }
        List<String> reasons = new ArrayList<>();
        List<FoundFile> images = files.all(KernelFiles.Role.IMAGE);
        ImageTypes image = ImageTypesReader.first(images, files.release(), known == null, cache, reasons);
        String release = image == null ? files.release() : image.release();
        ExportTable exports = known != null ? known : image == null ? null : image.exports();
        if (exports == null) {
            if (!images.isEmpty()) {
                reasons.forEach(reason -> problems.add(new InputProblem(files.label(), reason)));
            }
            problems.add(new InputProblem(
                    files.label(), "its exports are unknown; give its Module.symvers or kernel image"));
            return new KernelWithTypes(files.label(), release, null, null, null, null, notes, problems);
        }
        if (known == null) {
            notes.add("no usable Module.symvers: only the exports of vmlinux are compared");
        }
        notes.addAll(reasons);
        TypeGraph types = image == null ? null : types(image, notes);
        KernelConfig config = config(files, notes);
        if (config == null && hasChoiceOfGenerator(release)) {
            config = builtIn(images, release);
        }
        return new KernelWithTypes(files.label(), release, exports, types, files.tree(), config, notes, problems);
    }

    /**
     * Returns this kernel, or a copy with the types of the stored kernel of this release. Makes the copy only if this
     * kernel has modules but no types, and if no CRC differs.
     */
    KernelWithTypes orStored(StoredKernels store, FactsCache cache) {
        if (types != null || tree == null || release == null || exports == null) {
            return this;
        }
        try {
            KernelFiles files = store.has(release) ? store.find(release) : null;
            KernelWithTypes kept = files == null ? null : read(FoundKernel.later(files), cache);
            if (kept != null && kept.types != null && kept.hasCrcsOf(exports)) {
                List<String> none = new ArrayList<>();
                return new KernelWithTypes(label, release, exports, kept.types, tree, config, none, problems);
            }
            if (kept != null && kept.types == null) {
                kept.notes.forEach(one -> note("as stored: " + one));
            }
        } catch (IOException e) {
            note("its copy in the kernel store cannot be read: " + IoReason.of(e));
        }
        return this;
    }

    void note(String note) {
        if (!notes.contains(note)) {
            notes.add(note);
        }
    }

    private boolean hasCrcsOf(ExportTable others) {
        for (int row = 0; exports != null && row < exports.size(); row++) {
            int other = others.find(exports.symbol(row));
            boolean both = other >= 0 && exports.hasCrc(row) && others.hasCrc(other);
            if (both && exports.crc(row) != others.crc(other)) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable KernelConfig config(KernelFiles files, List<String> notes) {
        FoundFile file = files.first(KernelFiles.Role.CONFIG);
        FileContents contents = new FileContents(Limits.TEXT);
        try {
            if (file != null) {
                file.load(contents);
                return new KernelConfig(contents.bytes(), contents.length());
            }
        } catch (UnreadableException e) {
            notes.add("its configuration cannot be read: " + e.reason());
        }
        return null;
    }

    /** Returns the configuration built into an image of this release (CONFIG_IKCONFIG), null if no image has one. */
    private static @Nullable KernelConfig builtIn(List<FoundFile> images, @Nullable String release) {
        for (FoundFile file : images) {
            try {
                byte[] data = file.stored(ImageReader.MAX_BYTES);
                KernelImage image = ImageReader.read(data, data.length);
                if (image.config() != null && image.release().equals(release)) {
                    return image.config();
                }
            } catch (IOException e) {
                // Reading the types has already reported the problem.
            }
        }
        return null;
    }

    /** Returns whether any export has a CRC other than 0. Without CONFIG_MODVERSIONS, modpost writes zeros. */
    boolean hasCrcs() {
        for (int row = 0; exports != null && row < exports.size(); row++) {
            if (exports.hasCrc(row) && exports.crc(row) != 0) {
                return true;
            }
        }
        return false;
    }

    @Nullable
    String architecture() {
        return config == null ? null : config.architecture();
    }

    /** Returns the program that generated the CRCs, null if unknown. */
    @Nullable
    String generator() {
        return config == null ? null : "y".equals(config.value("GENDWARFKSYMS")) ? GENDWARFKSYMS : GENKSYMS;
    }

    /**
     * Returns the generator that is assumed for the CRCs of both kernels: the generator of {@code from} if known, else
     * of {@code to} if known, else genksyms.
     */
    static String generator(KernelWithTypes from, KernelWithTypes to) {
        String known = from.generator() != null ? from.generator() : to.generator();
        return known == null ? GENKSYMS : known;
    }

    /**
     * Returns whether the CRCs of both kernels are assumed to be computed by gendwarfksyms from debug information,
     * which depends on the compiler.
     */
    static boolean haveCompilersCrcs(KernelWithTypes from, KernelWithTypes to) {
        return GENDWARFKSYMS.equals(generator(from, to));
    }

    /**
     * Returns whether the kernel may use another CRC generator than genksyms (scripts/gendwarfksyms: 6.14); true if the
     * release is unknown.
     */
    boolean hasChoiceOfGenerator() {
        return hasChoiceOfGenerator(release);
    }

    private static boolean hasChoiceOfGenerator(@Nullable String release) {
        return isAtLeast(release, 6, 14);
    }

    /**
     * Returns whether the kernel's modules may have types (kernel/bpf/btf.c:btf_module_notify: 5.11); true if the
     * release is unknown.
     */
    boolean mayHaveModuleTypes() {
        return isAtLeast(release, 5, 11);
    }

    /** Returns whether the release is at least this version; true also if the release is unknown or not a version. */
    private static boolean isAtLeast(@Nullable String release, int major, int minor) {
        try {
            return release == null || KernelVersion.parse(release).atLeast(major, minor);
        } catch (IllegalArgumentException e) {
            return true;
        }
    }

    @Nullable
    String compiler() {
        return config == null ? null : config.value("CC_VERSION_TEXT");
    }

    static KernelWithTypes of(CheckTarget target, FactsCache cache) {
        List<String> notes = new ArrayList<>();
        ImageTypes image =
                ImageTypesReader.first(target.images(), target.kernel().release(), false, cache, notes);
        InTreeModules inTreeModules = target.inTreeModules();
        return new KernelWithTypes(
                target.kernel().label(),
                target.kernel().release(),
                target.kernel().exports(),
                image == null ? null : types(image, notes),
                inTreeModules == null ? null : inTreeModules.tree(),
                null,
                notes,
                List.of());
    }

    private static @Nullable TypeGraph types(ImageTypes image, List<String> notes) {
        if (image.section() == null) {
            notes.add("its image has no BTF (CONFIG_DEBUG_INFO_BTF), so the causes of CRC changes are unknown");
            return null;
        }
        return types(image.section(), notes);
    }

    private static @Nullable TypeGraph stored(KernelFiles files, List<String> notes) {
        FoundFile file = files.first(KernelFiles.Role.STORED);
        try {
            byte[] types = file == null ? null : KernelStore.types(file.host());
            if (types != null) {
                return types(ByteBuffer.wrap(types), notes);
            }
            notes.add("the kernel store contains no type information (BTF) of this kernel, so the causes of CRC changes"
                    + " are unknown; name the kernel's image or image package instead");
        } catch (IOException e) {
            notes.add("its stored type information cannot be read: " + IoReason.of(e));
        }
        return null;
    }

    private static @Nullable TypeGraph types(ByteBuffer section, List<String> notes) {
        try {
            return TypeGraph.of(Btf.read(section));
        } catch (UnreadableException e) {
            notes.add("its BTF is damaged: " + e.reason());
            return null;
        }
    }
}
