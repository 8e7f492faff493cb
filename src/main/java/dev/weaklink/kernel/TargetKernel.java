package dev.weaklink.kernel;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.module.KernelModule;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The known facts about the kernel for which weaklink checks modules. Immutable.
 *
 * @param label the kernel's name in reports: its release, or the file as the user named it
 * @param release the kernel's release (uname -r), null if unknown
 * @param machine machine, class and byte order of the kernel's modules, null if unknown
 * @param vermagic the string that the kernel compares with a module's vermagic, null if unknown
 * @param structModuleSize the size of the kernel's struct module in bytes, -1 if unknown
 * @param exports the exports of vmlinux, and the known exports of modules
 * @param exportsComplete whether every exported symbol is known, from {@code exports} or from the files of the kernel's
 *     own modules
 * @param ownModulesKnown whether the kernel's own modules can be read. If so, their files show their exports, and
 *     weaklink ignores rows of modules in {@code exports}
 * @param image the facts from the kernel's image, such as the names of built-in code
 * @param rules the rules of the kernel's loader
 * @param ownBuilds the build ids of the kernel's own modules, as far as a caller requested them. If the kernel compares
 *     no CRCs, the build ids show whether a module belongs to this build of the kernel
 * @param contradiction a sentence for reports if two of the kernel's files are from different builds and it is unknown
 *     which build boots; else null
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
        LoaderBehavior rules,
        Set<String> ownBuilds,
        @Nullable String contradiction) {

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
            LoaderBehavior rules,
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

    public boolean isOwn(KernelModule module) {
        return module.buildId() != null && ownBuilds.contains(module.buildId());
    }

    public TargetKernel withOwnBuilds(Set<String> builds) {
        return with(label, exports, rules, builds);
    }

    public TargetKernel with(LoaderBehavior others) {
        return with(label, exports, others, ownBuilds);
    }

    public TargetKernel named(String name) {
        return with(name, exports, rules, ownBuilds);
    }

    public TargetKernel exporting(ExportTable others) {
        return with(label, others, rules, ownBuilds);
    }

    private TargetKernel with(String name, ExportTable rows, LoaderBehavior others, Set<String> builds) {
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
