package dev.weaklink.loader;

import dev.weaklink.loader.Finding.Provider;
import dev.weaklink.module.KernelModule;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The predicted answer of one target kernel's loader for one module.
 *
 * @param module the facts that were judged; for an unreadable file, only its origin is known
 * @param target the name of the target kernel, from {@code TargetKernel.label()}
 * @param errno the name of the errno that finit_module(2) would return; null if the module would load or the result is
 *     unknown
 * @param findings the findings in the loader's order; symbols in symtab order
 * @param providers the modules from which the module imports symbols, sorted by name
 * @param unchecked the ids of the groups of checks ({@link Layer}) that could not be made in full, sorted
 * @param assumed the ids of the loader's rules that the verdict depends on and whose values weaklink only assumed,
 *     sorted
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

    public boolean isAcceptable(boolean acceptUndetermined) {
        return switch (outcome) {
            case COMPATIBLE -> true;
            case UNDETERMINED -> acceptUndetermined;
            case INCOMPATIBLE -> false;
        };
    }

    /**
     * Returns whether the loader refuses the module only because the kernel or another module already exports its
     * symbols. A rebuild would not change this.
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

    /**
     * Returns the sorted names of the kernel's own modules that are missing, or lack an export that this module
     * imports. A rebuild of this module would not help. Returns an empty list if the loader also refuses this module
     * for another reason.
     */
    public List<String> missingExporters() {
        Set<String> exporters = new TreeSet<>();
        for (Finding finding : findings) {
            if (finding.effect() == Finding.Effect.REFUSES) {
                String exporter = finding.exporter();
                if (finding.kind() != FindingKind.SYMBOL_MISSING
                        || exporter == null
                        || exporter.equals(module.name())) {
                    return List.of();
                }
                exporters.add(exporter);
            }
        }
        return List.copyOf(exporters);
    }

    public boolean breaksOthers() {
        for (Finding finding : findings) {
            if (finding.effect() == Finding.Effect.BREAKS) {
                return true;
            }
        }
        return false;
    }

    public Verdict with(List<Finding> notes) {
        List<Finding> all = new ArrayList<>(findings);
        all.addAll(notes);
        return withFindings(all);
    }

    public Verdict withFindings(List<Finding> fuller) {
        return new Verdict(module, target, outcome, errno, List.copyOf(fuller), providers, unchecked, assumed);
    }

    public Verdict unchecking(Layer layer) {
        TreeSet<String> layers = new TreeSet<>(unchecked);
        layers.add(layer.id());
        return new Verdict(module, target, outcome, errno, findings, providers, List.copyOf(layers), assumed);
    }

    public Verdict withRelocationsInOrder(KernelModule examined) {
        List<String> left = new ArrayList<>(unchecked);
        left.remove(Layer.RELOCATION.id());
        return new Verdict(examined, target, outcome, errno, findings, providers, List.copyOf(left), assumed);
    }
}
