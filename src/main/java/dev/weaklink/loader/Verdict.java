package dev.weaklink.loader;

import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What the loader of one target would do with one module.
 *
 * @param module the facts judged; of an unreadable file: nothing but its origin
 * @param target name of the target, as {@code TargetKernel.label()} gives it
 * @param outcome the answer
 * @param errno name of the errno finit_module(2) would return; null where it would load or where nothing can be said
 * @param findings in the loader's order; symbols in symtab order
 * @param providers modules it takes symbols from, sorted by name
 * @param unchecked layers that could not be checked, stable ids, sorted
 * @param assumed loader rules the answer rests on that were assumed and not seen, sorted
 */
public record Verdict(
        KernelModule module,
        String target,
        Outcome outcome,
        @Nullable String errno,
        List<Finding> findings,
        List<Provider> providers,
        List<String> unchecked,
        List<String> assumed) {

    /**
     * Whether all that the loader objects to is that another module exports the same symbols. Building it again changes
     * nothing about that.
     */
    public boolean onlyExportsTwice() {
        boolean twice = false;
        for (Finding finding : findings) {
            if (finding.effect() == Finding.Effect.REFUSES) {
                if (finding.kind() != FindingKind.EXPORT_DUPLICATE) {
                    return false;
                }
                twice = true;
            }
        }
        return twice;
    }

    /** Whether other modules would no longer load if this one were in place. */
    public boolean breaksOthers() {
        for (Finding finding : findings) {
            if (finding.effect() == Finding.Effect.BREAKS) {
                return true;
            }
        }
        return false;
    }

    /** The same verdict with further notes, which change nothing. */
    public Verdict with(List<Finding> notes) {
        List<Finding> all = new ArrayList<>(findings);
        all.addAll(notes);
        return withFindings(all);
    }

    /** The same verdict with findings that say more. */
    public Verdict withFindings(List<Finding> fuller) {
        return new Verdict(module, target, outcome, errno, List.copyOf(fuller), providers, unchecked, assumed);
    }

    /** Returns the same verdict, with a layer that could not be checked. */
    public Verdict unchecking(Layer layer) {
        TreeSet<String> layers = new TreeSet<>(unchecked);
        layers.add(layer.id());
        return new Verdict(module, target, outcome, errno, findings, providers, List.copyOf(layers), assumed);
    }

    /** The same verdict after its relocations, too, have been examined and found in order. */
    public Verdict withRelocationsInOrder(KernelModule examined) {
        List<String> left = new ArrayList<>(unchecked);
        left.remove(Layer.RELOCATION.id());
        return new Verdict(examined, target, outcome, errno, findings, providers, List.copyOf(left), assumed);
    }
}
