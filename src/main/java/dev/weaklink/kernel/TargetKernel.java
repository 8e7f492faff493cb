package dev.weaklink.kernel;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.module.KernelModule;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The known facts about a kernel that modules are to be loaded on. A store keeps these facts. Immutable.
 *
 * @param label its name in reports: its release, or the file it was given as
 * @param release its release (uname -r), null if not known
 * @param machine machine, class and byte order of its modules, null if not known
 * @param vermagic the string that it compares with a module's vermagic, null if not known
 * @param structModuleSize size of its struct module in bytes, -1 if not known
 * @param exports the exports of vmlinux, and the known exports of modules
 * @param exportsComplete whether a symbol that neither {@code exports} nor the kernel's own modules contain is exported
 *     by nobody. The value is false if the exports of vmlinux are known only as far as its modules use them. The value
 *     is also false if the exports of its modules are unknown
 * @param ownModulesKnown whether its own modules can be read. If so, the modules themselves define their exports, and
 *     the rows of {@code exports} that name modules do not count
 * @param image the facts that only its image contains
 * @param rules the rules of its loader
 * @param ownBuilds the build ids of its own modules, as far as a caller requested them. If the kernel compares no CRCs,
 *     they show whether a module belongs to this build of the kernel
 * @param contradiction a sentence about two of its files from different builds, if it is unknown which build boots;
 *     null if the files agree
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
