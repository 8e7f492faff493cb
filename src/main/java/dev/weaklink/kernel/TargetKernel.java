package dev.weaklink.kernel;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.module.KernelModule;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a kernel that modules are to be loaded on, and what a store keeps of it. Immutable.
 *
 * @param label what to call it: its release, or the file it was given as
 * @param release its release (uname -r), null if not known
 * @param machine machine, class and byte order of its modules, null if not known
 * @param vermagic what it compares a module's vermagic with, null if not known
 * @param structModuleSize size of its struct module in bytes, -1 if not known
 * @param exports what vmlinux exports, and what is said of the exports of modules
 * @param exportsComplete whether a symbol that neither {@code exports} nor the kernel's own modules have is exported by
 *     nobody; false if of vmlinux only what its modules use is known, or of its modules nothing
 * @param ownModulesKnown whether its own modules can be read; if so they, and not the rows of {@code exports} that name
 *     modules, say what its modules export
 * @param image what only its image says
 * @param rules how its loader decides
 * @param ownBuilds build ids of modules that came with it, as far as they were asked for: they were built with it,
 *     which matters where no CRCs are compared
 * @param contradiction a sentence about two of its files that are of different builds, of which neither is known to be
 *     the one that boots; null if there are none
 */
public record TargetKernel(
        String label,
        @Nullable String release,
        @Nullable ElfIdentity machine,
        @Nullable String vermagic,
        long structModuleSize,
        ExportTable exports,
        boolean exportsComplete,
        boolean ownModulesKnown,
        ImageFacts image,
        LoaderRules rules,
        Set<String> ownBuilds,
        @Nullable String contradiction) {

    /** A kernel whose files do not contradict each other. */
    public TargetKernel(
            String label,
            @Nullable String release,
            @Nullable ElfIdentity machine,
            @Nullable String vermagic,
            long structModuleSize,
            ExportTable exports,
            boolean exportsComplete,
            boolean ownModulesKnown,
            ImageFacts image,
            LoaderRules rules,
            Set<String> ownBuilds) {
        this(
                label,
                release,
                machine,
                vermagic,
                structModuleSize,
                exports,
                exportsComplete,
                ownModulesKnown,
                image,
                rules,
                ownBuilds,
                null);
    }

    /** Whether a module was built with this kernel. */
    public boolean isOwn(KernelModule module) {
        return module.buildId() != null && ownBuilds.contains(module.buildId());
    }

    /** The same kernel, with what is known of modules that came with it. */
    public TargetKernel withOwnBuilds(Set<String> builds) {
        return with(label, exports, rules, builds);
    }

    /** The same kernel with other rules. */
    public TargetKernel with(LoaderRules others) {
        return with(label, exports, others, ownBuilds);
    }

    /** The same kernel by another name. */
    public TargetKernel named(String name) {
        return with(name, exports, rules, ownBuilds);
    }

    /** The same kernel with other exports. */
    public TargetKernel exporting(ExportTable others) {
        return with(label, others, rules, ownBuilds);
    }

    private TargetKernel with(String name, ExportTable rows, LoaderRules others, Set<String> builds) {
        return new TargetKernel(
                name,
                release,
                machine,
                vermagic,
                structModuleSize,
                rows,
                exportsComplete,
                ownModulesKnown,
                image,
                others,
                builds,
                contradiction);
    }
}
