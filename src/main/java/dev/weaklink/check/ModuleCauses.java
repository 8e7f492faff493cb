package dev.weaklink.check;

import dev.weaklink.explain.CauseFinder;
import dev.weaklink.format.archive.PackageEntry;
import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageFile;
import dev.weaklink.format.archive.PackageFile.EntryVisitor;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.format.btf.Btf;
import dev.weaklink.format.btf.DistilledBtf;
import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.format.codec.FileContents;
import dev.weaklink.module.ModuleReader;
import dev.weaklink.module.ModuleReader.ModuleTypes;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.ModuleTree;
import dev.weaklink.system.ModuleTree.ModuleFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the types of two kernels' modules on demand, and finds the causes of changed CRCs in these types. */
final class ModuleCauses {
    private final KernelWithTypes before;
    private final KernelWithTypes after;
    private final TypeGraph kernelBefore;
    private final TypeGraph kernelAfter;
    private final FileContents contents = FileContents.ofWorker();
    private final Map<String, Optional<CauseFinder>> finders = new HashMap<>();
    private final Set<String> exporters;
    private final Map<Path, BackgroundTask<Map<String, ModuleTypes>>> packages = new HashMap<>();

    ModuleCauses(
            KernelWithTypes before,
            KernelWithTypes after,
            TypeGraph kernelBefore,
            TypeGraph kernelAfter,
            Set<String> exporters) {
        this.exporters = exporters;
        this.before = before;
        this.after = after;
        this.kernelBefore = kernelBefore;
        this.kernelAfter = kernelAfter;
    }

    /**
     * Returns a finder of causes in the types of a module.
     *
     * @param owner the module as symvers names it, a path without suffix
     * @return null if one of the kernels has no readable types of the module
     */
    @Nullable
    CauseFinder finder(String owner, CauseFinder kernel) {
        return finders.computeIfAbsent(owner, path -> read(path, kernel)).orElse(null);
    }

    private Optional<CauseFinder> read(String owner, CauseFinder kernel) {
        ModuleFile older = file(before, owner);
        ModuleFile newer = file(after, owner);
        if (older == null || newer == null) {
            return Optional.empty();
        }
        // Start to unpack both packages at the same time.
        inPackage(older);
        inPackage(newer);
        TypeGraph old = types(older, before, kernelBefore);
        TypeGraph now = old == null ? null : types(newer, after, kernelAfter);
        return old == null || now == null ? Optional.empty() : Optional.of(kernel.ofModule(old, now));
    }

    List<TypeGraph> graphs(Set<String> owners, boolean older) {
        List<TypeGraph> graphs = new ArrayList<>();
        for (String owner : owners) {
            KernelWithTypes kernel = older ? before : after;
            ModuleFile file = file(kernel, owner);
            TypeGraph types = file == null ? null : types(file, kernel, older ? kernelBefore : kernelAfter);
            if (types != null) {
                graphs.add(types);
            }
        }
        return graphs;
    }

    private static @Nullable ModuleFile file(KernelWithTypes kernel, String owner) {
        ModuleTree tree = kernel.tree();
        return tree == null ? null : tree.chosen(ModuleNames.ofPath(owner));
    }

    /** Returns the types in the package that contains the module, null if the module is a plain file. */
    private @Nullable BackgroundTask<Map<String, ModuleTypes>> inPackage(ModuleFile file) {
        // The host file of a packaged module is the package.
        return ModuleNames.isModuleFile(String.valueOf(file.host().getFileName()))
                ? null
                : packages.computeIfAbsent(
                        file.host(), path -> BackgroundTask.start(() -> PackagedTypes.read(path, exporters)));
    }

    private @Nullable ModuleTypes types(ModuleFile file) throws UnreadableException {
        BackgroundTask<Map<String, ModuleTypes>> packaged = inPackage(file);
        if (packaged != null) {
            return packaged.get().get(file.name());
        }
        try {
            contents.load(file.host());
            return ModuleReader.types(contents.bytes(), contents.length());
        } finally {
            contents.release();
        }
    }

    private static Btf read(ModuleTypes types, Btf kernel) throws UnreadableException {
        return types.base() == null
                ? Btf.readSplit(types.section(), kernel)
                : DistilledBtf.read(types.section(), types.base(), kernel);
    }

    private @Nullable TypeGraph types(ModuleFile file, KernelWithTypes kernel, TypeGraph kernelTypes) {
        String wrong;
        try {
            ModuleTypes types = types(file);
            if (types == null) {
                return null;
            }
            try {
                return types(types, kernelTypes);
            } catch (UnreadableException e) {
                wrong = "its BTF " + unusable(e, types, kernel) + ": " + e.reason();
            }
        } catch (UnreadableException e) {
            wrong = e.reason();
        }
        kernel.note("module " + file.name() + ": " + wrong);
        return null;
    }

    static String unusable(UnreadableException e, @Nullable ModuleTypes types, KernelWithTypes kernel) {
        String other = " another build of " + kernel.label();
        return e.kind() == UnreadableException.UnreadableKind.CONTENTS
                ? "is for" + other
                : "is damaged" + (types == null || types.base() != null ? "" : ", or of" + other);
    }

    /**
     * Returns a module's types.
     *
     * @throws UnreadableException if the types are damaged or do not extend the types of this kernel
     */
    static TypeGraph types(ModuleTypes types, TypeGraph kernel) throws UnreadableException {
        return TypeGraph.split(read(types, kernel.btf()), kernel);
    }

    /** The types of a package's exporting modules, read in one pass because every pass unpacks the whole package. */
    private static final class PackagedTypes implements EntryVisitor {
        /** The maximum number of bytes of types in memory; all modules of a kernel have about 60 MB. */
        private static final int ROOM = 192 << 20;

        private final Set<String> wanted;
        private final FileContents contents = FileContents.ofWorker();
        private final Map<String, ModuleTypes> types = new HashMap<>();
        private int room = ROOM;

        private PackagedTypes(Set<String> wanted) {
            this.wanted = wanted;
        }

        /**
         * Reads the types in a package.
         *
         * @param wanted the names of the modules
         * @return the readable types by module name
         */
        static Map<String, ModuleTypes> read(Path file, Set<String> wanted) {
            PackagedTypes found = new PackagedTypes(wanted);
            try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
                open.forEach(found);
            } catch (UnreadableException e) {
                // Reading the kernel has already reported the damage; the types read before the damage are used.
            }
            return found.types;
        }

        private static @Nullable String name(String path) {
            String file = path.substring(path.lastIndexOf('/') + 1);
            return ModuleNames.isModuleFile(file) ? ModuleNames.ofFile(file) : null;
        }

        @Override
        public boolean wants(String path) {
            String name = name(path);
            return name != null && wanted.contains(name);
        }

        @Override
        public void visit(PackageEntry entry) throws IOException {
            String name = name(entry.path());
            if (entry.type() != EntryType.FILE || name == null) {
                return;
            }
            try {
                contents.load(entry.member(), entry.contents(), entry.size());
                add(name, ModuleReader.types(contents.bytes(), contents.length()));
            } catch (UnreadableException e) {
                if (e.kind() != UnreadableException.UnreadableKind.CONTENTS) {
                    throw e;
                }
            } finally {
                contents.release();
            }
        }

        private void add(String name, @Nullable ModuleTypes read) {
            if (read != null) {
                ByteBuffer base = read.base();
                room -= read.section().remaining() + (base == null ? 0 : base.remaining());
                if (room >= 0) {
                    types.put(name, read);
                }
            }
        }

        @Override
        public void problem(String subject, String message) {
            // Reading the kernel has already reported the problem.
        }
    }
}
