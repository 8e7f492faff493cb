package dev.weaklink.links.plan;

import dev.weaklink.system.initramfs.UnfinishedInstallation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plan for one kernel.
 *
 * @param modules the plans of the modules, sorted by name
 * @param needsDepmod the paths of the links and out-of-tree modules for which modules.dep is outdated, as seen inside
 *     the root directory; without links that the plan changes
 * @param notes remarks from the search for the causes of refusals; empty without a search
 * @param unfinished the signs of an unfinished installation of the kernel
 */
public record KernelPlan(
        String kernel,
        List<ModulePlan> modules,
        List<String> needsDepmod,
        List<String> notes,
        List<UnfinishedInstallation> unfinished) {
    public KernelPlan {
        unfinished = List.copyOf(unfinished);
        modules = List.copyOf(modules);
        needsDepmod = List.copyOf(needsDepmod);
        notes = List.copyOf(notes);
    }

    public KernelPlan withoutDepmod(List<String> links) {
        return new KernelPlan(kernel, modules, links, notes, unfinished);
    }

    public KernelPlan(String kernel, List<ModulePlan> modules) {
        this(kernel, modules, List.of(), List.of(), List.of());
    }

    public KernelPlan with(List<ModulePlan> others) {
        return with(others, notes);
    }

    public KernelPlan with(List<ModulePlan> others, List<String> remarks) {
        return new KernelPlan(kernel, others, needsDepmod, remarks, unfinished);
    }

    public KernelPlan unfinished(List<UnfinishedInstallation> signs) {
        return new KernelPlan(kernel, modules, needsDepmod, notes, signs);
    }

    public List<LinkEdit> edits() {
        List<LinkEdit> edits = new ArrayList<>();
        for (ModulePlan module : modules) {
            edits.addAll(module.edits());
        }
        return edits;
    }

    /**
     * A link to create, change or remove.
     *
     * @param path the link's path as seen inside the root directory
     * @param before the link's present target as written, null if the link does not exist
     * @param after the link's new target, null to remove the link
     */
    public record LinkEdit(
            String path, @Nullable String before, @Nullable String after) {}
}
