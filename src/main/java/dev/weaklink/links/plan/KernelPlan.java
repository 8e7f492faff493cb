package dev.weaklink.links.plan;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What should happen on one kernel.
 *
 * @param kernel its release
 * @param modules by module name
 * @param needsDepmod links and out-of-tree modules that depmod has not seen: they are not in modules.dep, or are in it
 *     although they are gone; as seen from inside the root
 * @param notes which modules others ask for in vain, and what is known of the causes of refusals
 * @param unfinished signs that the kernel's installation stopped before its end, each with what to do
 */
public record KernelPlan(
        String kernel,
        List<ModulePlan> modules,
        List<String> needsDepmod,
        List<String> notes,
        List<String> unfinished) {
    public KernelPlan {
        unfinished = List.copyOf(unfinished);
        modules = List.copyOf(modules);
        needsDepmod = List.copyOf(needsDepmod);
        notes = List.copyOf(notes);
    }

    /** The same where depmod has not seen these files. */
    public KernelPlan withoutDepmod(List<String> links) {
        return new KernelPlan(kernel, modules, links, notes, unfinished);
    }

    /** A plan where depmod has seen every link. */
    public KernelPlan(String kernel, List<ModulePlan> modules) {
        this(kernel, modules, List.of(), List.of(), List.of());
    }

    /** The same for other modules. */
    public KernelPlan with(List<ModulePlan> others) {
        return with(others, notes);
    }

    /** The same for other modules, with what is to be known of them. */
    public KernelPlan with(List<ModulePlan> others, List<String> remarks) {
        return new KernelPlan(kernel, others, needsDepmod, remarks, unfinished);
    }

    /** The same of a kernel whose installation stopped before its end. */
    public KernelPlan unfinished(List<String> signs) {
        return new KernelPlan(kernel, modules, needsDepmod, notes, signs);
    }

    /** All links that change, in the order of the modules. */
    public List<LinkEdit> edits() {
        List<LinkEdit> edits = new ArrayList<>();
        for (ModulePlan module : modules) {
            edits.addAll(module.edits());
        }
        return edits;
    }

    /**
     * One link that is to be made, changed or removed.
     *
     * @param path the link's path as seen from inside the root
     * @param before what is written in it now, null if it is not there
     * @param after what is to be written in it, null if it is to go
     */
    public record LinkEdit(
            String path, @Nullable String before, @Nullable String after) {}
}
