package dev.weaklink.check;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.RepositoryKernel;
import dev.weaklink.system.TargetKind;
import dev.weaklink.system.cache.FactsCache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens stores, and adds a kernel to a store if everything that a later check needs is known about the kernel. */
public final class StoreWriter {
    private final KernelStore store;
    private final FactsCache cache;

    StoreWriter(KernelStore store, FactsCache cache) {
        this.store = store;
        this.cache = cache;
    }

    /**
     * Opens a store.
     *
     * @param root the root directory of the system, null for {@code /}
     * @param directory the store as typed, null for the root's default store
     * @throws IOException if the root cannot be opened
     */
    public static KernelStore open(@Nullable Path root, @Nullable Path directory) throws IOException {
        return new KernelStore(StoredKernels.directory(opened(root), directory));
    }

    private static Root opened(@Nullable Path root) throws IOException {
        return root == null ? Root.HOST : Root.of(root);
    }

    /**
     * Returns the kernels of a repository, from old to new, that are missing in the store. A release counts as missing
     * if the store has fewer entries for it than the repository: kernels of several architectures can have one release.
     *
     * @throws IOException if the store cannot be read
     */
    public static List<RepositoryKernel> missing(KernelStore store, String repository, List<InputProblem> problems)
            throws IOException {
        List<RepositoryKernel> kernels = RepositoryKernel.below(repository, problems);
        Map<String, Integer> more = new HashMap<>();
        for (RepositoryKernel kernel : kernels) {
            more.merge(kernel.release(), 1, Integer::sum);
        }
        for (StoreEntry entry : store.entries()) {
            more.merge(entry.release(), -1, Integer::sum);
        }
        List<RepositoryKernel> missing = new ArrayList<>(kernels);
        missing.removeIf(kernel -> more.getOrDefault(kernel.release(), 0) <= 0);
        if (kernels.isEmpty() && problems.isEmpty()) {
            problems.add(new InputProblem(repository, "contains no packages of kernels"));
        }
        return missing;
    }

    /**
     * Adds kernels to a store.
     *
     * @param kernels releases and paths as typed; empty for the newest installed kernel
     * @param problems receives problems with the kernels, and the reason why a kernel was not stored
     * @return the kernels that were stored
     * @throws IOException if the root cannot be opened
     */
    public static List<StoreEntry> keep(
            KernelStore store,
            @Nullable Path root,
            List<String> kernels,
            ReadOptions reading,
            List<InputProblem> problems)
            throws IOException {
        Root opened = opened(root);
        StoreWriter writer = new StoreWriter(store, reading.cache());
        List<StoreEntry> kept = new ArrayList<>();
        GivenPackages packages = reading.packages();
        packages.readAll(kernels, Progress.NONE);
        for (FoundKernel files : FoundKernel.find(opened, store.directory(), kernels, packages, problems)) {
            CheckTarget target = files.open(Map.of(), reading, problems);
            StoreEntry entry = target == null ? null : writer.keep(target, problems);
            if (entry != null) {
                kept.add(entry);
            }
        }
        return kept;
    }

    void keepAll(List<CheckTarget> targets, List<InputProblem> problems) {
        for (CheckTarget target : targets) {
            if (reasonAgainst(target) == null) {
                keep(target, problems);
            }
        }
    }

    /** Stores a kernel; returns null and adds a problem if the kernel cannot be stored. */
    @Nullable
    StoreEntry keep(CheckTarget target, List<InputProblem> problems) {
        String label = target.summary().label();
        String against = reasonAgainst(target);
        if (against != null) {
            problems.add(new InputProblem(label, "not stored: " + against));
            return null;
        }
        try {
            TargetKernel kernel = target.kernel().exporting(exports(target));
            // Unpacking an image takes a second, and most kernels of a regular run are already stored.
            byte[] types = store.hasTypes(kernel) ? null : types(target, problems);
            return store.put(kernel, types);
        } catch (IOException e) {
            problems.add(new InputProblem(label, "not stored in " + store.directory() + ": " + IoReason.of(e)));
            return null;
        }
    }

    /**
     * Returns the BTF of the kernel's image, null if no image was read or the image has none. Adds a problem if the
     * images cannot be read.
     */
    private byte @Nullable [] types(CheckTarget target, List<InputProblem> problems) {
        List<String> reasons = new ArrayList<>();
        byte[] types = ImageTypesReader.section(target.images(), target.kernel().release(), cache, reasons);
        if (!target.images().isEmpty()) {
            String label = target.summary().label();
            reasons.forEach(
                    reason -> problems.add(new InputProblem(label, "stored without type information: " + reason)));
        }
        return types;
    }

    private static @Nullable String reasonAgainst(CheckTarget target) {
        TargetKernel kernel = target.kernel();
        if (kernel.release() == null) {
            return "its release is not known";
        }
        if (target.summary().kind() == TargetKind.STORED_KERNEL) {
            return "it is from a store";
        }
        if (kernel.contradiction() != null) {
            return kernel.contradiction();
        }
        return kernel.exportsComplete()
                ? null
                : "not all of the kernel's exports are known; give its headers, or its image and its modules";
    }

    private static ExportTable exports(CheckTarget target) throws IOException {
        ExportTable exports = target.inbox();
        InTreeModules inTreeModules = target.inTreeModules();
        if (inTreeModules == null || exports.size() > exports.ofVmlinux()) {
            return exports;
        }
        List<KernelModule> inTree = inTreeModules.inTree();
        if (!inTreeModules.failures().isEmpty()) {
            throw new IOException("some of its modules cannot be read");
        }
        return new RebuiltSymvers(target.summary().label(), exports, 1).with(inTree);
    }
}
