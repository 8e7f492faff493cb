package dev.weaklink.check.result;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.StableId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of matching one build of modules with a kernel.
 *
 * @param file the package or directory, as found
 * @param name the package's name, empty for a directory
 * @param version the package's version, empty for a directory
 * @param builtFor the releases that the modules were built for, sorted
 * @param exact true if the modules were built for exactly this kernel
 * @param modules the versions of the modules by module name; an empty version if the module states none
 * @param lacks the names of modules that this build lacks, but another build of the same version contains, sorted
 * @param tally the counts of the verdicts
 * @param against the worst verdict, which gives the reason against the build; null if no module is refused or
 *     undetermined
 * @param together the files of other builds that this build needs, sorted
 */
public record BuildMatch(
        String file,
        String name,
        String version,
        List<String> builtFor,
        boolean exact,
        Map<String, String> modules,
        List<String> lacks,
        Tally tally,
        @Nullable Verdict against,
        List<String> together) {
    private static final String VMLINUX = "vmlinux";

    public BuildMatch {
        builtFor = List.copyOf(builtFor);
        modules = Map.copyOf(modules);
        lacks = List.copyOf(lacks);
        together = List.copyOf(together);
    }

    public enum BuildFit implements StableId {
        FITS,
        UNDETERMINED,
        /**
         * The fit of a build of which no module is refused, but that lacks modules of another build of the same
         * version.
         */
        INCOMPLETE,
        REFUSED,
        EMPTY
    }

    public BuildFit fit() {
        if (tally.total() == 0) {
            return BuildFit.EMPTY;
        }
        if (tally.incompatible() > 0) {
            return BuildFit.REFUSED;
        }
        if (!lacks.isEmpty()) {
            return BuildFit.INCOMPLETE;
        }
        return tally.undetermined() > 0 ? BuildFit.UNDETERMINED : BuildFit.FITS;
    }

    BuildMatch lacking(Collection<String> others) {
        return new BuildMatch(
                file, name, version, builtFor, exact, modules, List.copyOf(others), tally, against, together);
    }

    /**
     * Returns whether builds of other modules may resolve the refusal. That is possible if the first finding that
     * refuses is a missing symbol, or is about a symbol that another module exports.
     */
    public boolean mayNeedOthers() {
        return against != null && against.outcome() == Outcome.INCOMPATIBLE && !isRefusedByVmlinux(against);
    }

    private static boolean isRefusedByVmlinux(Verdict verdict) {
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == Finding.Effect.REFUSES) {
                return finding.layer() != Layer.SYMBOL_MISSING
                        && (finding.exporter() == null || finding.exporter().equals(VMLINUX));
            }
        }
        return true;
    }

    /**
     * Returns the first of the worst verdicts; null if all modules would load. Prefers a module that is refused for its
     * own reasons to a module that is refused only because of another module.
     */
    public static @Nullable Verdict worst(List<Verdict> verdicts) {
        Verdict worst = null;
        for (Verdict verdict : verdicts) {
            if (verdict.outcome() == Outcome.INCOMPATIBLE && isRefusedItself(verdict)) {
                return verdict;
            }
            worst = worst == null || rank(verdict) > rank(worst) ? verdict : worst;
        }
        return worst == null || rank(worst) == 0 ? null : worst;
    }

    private static int rank(Verdict verdict) {
        return switch (verdict.outcome()) {
            case COMPATIBLE -> 0;
            case UNDETERMINED -> 1;
            case INCOMPATIBLE -> 2;
        };
    }

    private static boolean isRefusedItself(Verdict verdict) {
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == Finding.Effect.REFUSES) {
                return finding.layer() != Layer.DEPENDENCY;
            }
        }
        return true;
    }
}
