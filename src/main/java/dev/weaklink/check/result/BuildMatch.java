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
 * How one build of modules fits a kernel.
 *
 * @param file the package or directory, as found
 * @param name the package's name, empty for a directory
 * @param version the package's version, empty for a directory
 * @param builtFor releases that its modules were built for, sorted
 * @param exact whether that is the kernel's release alone
 * @param modules the versions that its modules say they have, empty if they do not, by their names
 * @param lacks modules that another build of it has, sorted
 * @param tally verdicts counted
 * @param against the first verdict that stands against it, null if none does
 * @param together files of other builds that it fits with and needs, sorted
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

    /** How it fits, from the best to the worst. */
    public enum Fit implements StableId {
        /** Every module would load. */
        FITS,
        /** None would be refused as far as is known. */
        UNDETERMINED,
        /** None would be refused, but another build of it has more modules. */
        INCOMPLETE,
        /** Some module would be refused. */
        REFUSED,
        /** It has no modules that can be read. */
        EMPTY
    }

    /** How it fits. */
    public Fit fit() {
        if (tally.total() == 0) {
            return Fit.EMPTY;
        }
        if (tally.incompatible() > 0) {
            return Fit.REFUSED;
        }
        if (!lacks.isEmpty()) {
            return Fit.INCOMPLETE;
        }
        return tally.undetermined() > 0 ? Fit.UNDETERMINED : Fit.FITS;
    }

    /** The same build, of which others have these modules, too. */
    BuildMatch lacking(Collection<String> others) {
        return new BuildMatch(
                file, name, version, builtFor, exact, modules, List.copyOf(others), tally, against, together);
    }

    /** Whether another build may have what it is refused for. */
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
     * The first verdict that is worst, null if all would load. What is refused for another's sake comes after that
     * other one.
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
