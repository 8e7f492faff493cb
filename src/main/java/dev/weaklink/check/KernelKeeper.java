package dev.weaklink.check;

import dev.weaklink.check.result.TargetSummary.ExportCount;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.system.TargetKind;
import dev.weaklink.system.cache.FactsCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes kernels to a store if everything a later check needs is known about them. */
final class KernelKeeper {
    private final KernelStore store;
    private final FactsCache cache;

    /**
     * Creates a keeper.
     *
     * @param cache the cache with the types of images that were unpacked before
     */
    KernelKeeper(KernelStore store, FactsCache cache) {
        this.store = store;
        this.cache = cache;
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
            problems.add(new InputProblem(label, "not kept: " + against));
            return null;
        }
        try {
            TargetKernel kernel = target.kernel().exporting(exports(target));
            // Unpacking an image takes a second, and most kernels of a regular run are already stored.
            byte[] types = store.hasTypes(kernel) ? null : types(target, problems);
            return store.put(kernel, types);
        } catch (IOException e) {
            problems.add(new InputProblem(label, "not kept in " + store.directory() + ": " + IoReason.of(e)));
            return null;
        }
    }

    /**
     * Returns the BTF of the kernel's image, null if the image has none. Adds a problem if the image cannot be read.
     */
    private byte @Nullable [] types(CheckTarget target, List<InputProblem> problems) {
        List<String> reasons = new ArrayList<>();
        byte[] types = ImageTypesReader.section(target.images(), target.kernel().release(), cache, reasons);
        if (!target.images().isEmpty()) {
            String label = target.summary().label();
            reasons.forEach(reason -> problems.add(new InputProblem(label, "kept without its types: " + reason)));
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
                : "its exports are not fully known; give its headers, or its image and modules";
    }

    /**
     * Returns the exports with the modules that own them. If no row names a module, reads the exports from the modules
     * themselves.
     */
    private static ExportTable exports(CheckTarget target) throws IOException {
        ExportTable exports = target.inbox();
        InTreeModules inTreeModules = target.inTreeModules();
        if (inTreeModules == null || exports.size() > ExportCount.of(exports).ofVmlinux()) {
            return exports;
        }
        List<KernelModule> inTree = inTreeModules.inTree();
        if (!inTreeModules.failures().isEmpty()) {
            throw new IOException("some of its modules cannot be read");
        }
        return new RebuiltSymvers(target.summary().label(), exports, 1).with(inTree);
    }
}
