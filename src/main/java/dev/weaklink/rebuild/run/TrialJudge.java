package dev.weaklink.rebuild.run;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Checker;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.rebuild.CompilerError;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.TrialFailure;
import dev.weaklink.sys.Progress;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Determines the result of a trial build.
 *
 * @param target the kernel of the trial
 * @param threads number of threads for checks, at least 1
 */
record TrialJudge(TrialKernel target, int threads) {
    /**
     * The result of a trial build.
     *
     * @param line the reason; empty if the modules would load
     * @param next the recommended step; empty if no step is needed
     * @param modules names of the modules that were built, sorted
     */
    record BuildJudgment(TrialResult result, String line, String next, Set<String> modules) {
        BuildJudgment(TrialResult result, String line, String next) {
            this(result, line, next, Set.of());
        }
    }

    /**
     * Returns the result of a failed build by DKMS.
     *
     * @param limit the time limit of a build
     * @param source the directory of the source, which a trial cannot change
     * @param directories the trial's own directories, which are removed from paths in messages; longer directories
     *     first
     */
    static BuildJudgment failed(Diagnosis failure, Duration limit, Path source, List<String> directories) {
        if (failure.line().contains("No rule to make target '" + source + "/")) {
            // DKMS builds a copy. A Makefile with a fixed path to the source could not write its objects there.
            String line = "the Makefile builds in " + source + ", which a trial build cannot change";
            return new BuildJudgment(TrialResult.NOT_TRIED, line, "");
        }
        return failed(failure, limit, directories);
    }

    static BuildJudgment failed(Diagnosis failure, Duration limit, List<String> directories) {
        if (failure.cause() == Cause.API_CHANGE) {
            CompilerError error = CompilerError.of(failure.line());
            String line = TrialFailure.without(directories, error.text());
            return new BuildJudgment(TrialResult.DOES_NOT_COMPILE, line, error.meaning());
        }
        TrialFailure why = TrialFailure.of(failure, limit, directories);
        return new BuildJudgment(TrialResult.NOT_TRIED, why.line(), why.next());
    }

    /**
     * Judges modules as the kernel's loader would, except that modules may be unsigned.
     *
     * @param built the modules of this build
     * @param all the modules of all builds so far, as later packages may need earlier ones
     */
    BuildJudgment judged(List<Path> built, List<Path> all) {
        if (built.isEmpty()) {
            return new BuildJudgment(TrialResult.NOT_TRIED, "the build succeeded but left no module", "");
        }
        Set<String> names = new TreeSet<>();
        Verdict refused = null;
        Verdict unknown = null;
        for (Verdict verdict : verdicts(built, all)) {
            names.add(name(verdict));
            if (verdict.outcome() == Outcome.INCOMPATIBLE && !isUnsignedOnly(verdict)) {
                refused = refused == null ? verdict : refused;
            } else if (verdict.outcome() == Outcome.UNDETERMINED) {
                unknown = unknown == null ? verdict : unknown;
            }
        }
        if (refused != null) {
            return new BuildJudgment(TrialResult.WOULD_BE_REFUSED, reason(refused), "", names);
        }
        if (unknown != null || names.size() < built.size()) {
            String line = "the build succeeded, but weaklink could not check every module"
                    + (unknown == null ? "" : ": " + reason(unknown));
            return new BuildJudgment(TrialResult.NOT_TRIED, line, "", names);
        }
        return new BuildJudgment(TrialResult.LOADS, "", "", names);
    }

    private List<Verdict> verdicts(List<Path> built, List<Path> all) {
        CheckReport report = Checker.check(
                new CheckRequest(
                        null,
                        all.stream().map(Path::toString).toList(),
                        List.of(target.subject()),
                        null,
                        false,
                        Map.of(),
                        List.of(),
                        ReadOptions.uncached(threads),
                        InputStream.nullInputStream()),
                Progress.NONE);
        return report.verdicts().stream()
                .filter(verdict ->
                        built.contains(Path.of(verdict.module().origin().toString())))
                .toList();
    }

    private static String reason(Verdict verdict) {
        return name(verdict) + ": " + VerdictReason.of(verdict);
    }

    private static String name(Verdict verdict) {
        return verdict.module().origin().moduleName();
    }

    private static boolean isUnsignedOnly(Verdict verdict) {
        // A trial is not signed; DKMS signs the modules that it installs.
        return verdict.findings().stream()
                .filter(finding -> finding.effect() == VerdictReason.decisive(verdict))
                .allMatch(finding -> finding.layer() == Layer.SIGNATURE);
    }
}
