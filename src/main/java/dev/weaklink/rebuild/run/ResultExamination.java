package dev.weaklink.rebuild.run;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.rebuild.Backend.BuildStatus;
import dev.weaklink.rebuild.Backend.ExpectedOutput;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.Completeness;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.NextStep;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.Ownership;
import dev.weaklink.sys.ShellWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds, unpacks and judges the result of a build. */
final class ResultExamination {
    private final PreparedRebuild prepared;
    private final Job job;
    private RebuildOutcome.Results results = RebuildOutcome.Results.NONE;
    private List<BuiltModule> built = List.of();
    private Map<String, String> refused = Map.of();
    private @Nullable Diagnosis failure;

    /**
     * Creates the examination of one run.
     *
     * @param job the job that was built; if packages were built separately, it contains only the packages whose build
     *     succeeded
     */
    ResultExamination(PreparedRebuild prepared, Job job) {
        this.prepared = prepared;
        this.job = job;
    }

    RebuildOutcome.Results results() {
        return results;
    }

    List<BuiltModule> built() {
        return built;
    }

    @Nullable
    Diagnosis failure() {
        return failure;
    }

    /**
     * Finds the expected files and keeps them; sets a failure if there are none.
     *
     * @param since the time when the build began
     */
    List<Path> collect(BuildExecution.Ended ended, Instant since) throws IOException {
        ResultSearch search = new ResultSearch(
                prepared.run().work(),
                ended.ending() == BuildStatus.ALREADY_THERE ? Instant.EPOCH : since,
                Ownership.ofProcess());
        try {
            List<Path> files = keep(search.find(expected(ended), ended.lines()));
            if (files.isEmpty()) {
                String foreign = search.foreign();
                boolean there = foreign.isEmpty() && ended.ending() == BuildStatus.ALREADY_THERE;
                failure = there ? notThere() : failed(Cause.NO_RESULT, foreign);
            }
            return files;
        } catch (NotDoneException e) {
            failure = failed(Cause.NO_RESULT, String.valueOf(e.getMessage()));
            return List.of();
        }
    }

    /**
     * Unpacks and judges results.
     *
     * @param image the file names of the packages with modules in the installation image of Mellanox; empty if the
     *     build uses no image
     * @param subject the product, as in {@link RunRecord#subject}
     */
    void judge(List<Path> files, List<String> image, String subject, List<BuiltModule> installed) throws IOException {
        ResultUnpacker unpacker =
                new ResultUnpacker(prepared.run().modules(), job.place().kernel());
        try {
            unpacker.add(files);
        } catch (IOException e) {
            failure = failed(Cause.BROKEN_RESULT, String.valueOf(e.getMessage()));
            return;
        }
        List<Path> modules = unpacker.modules();
        if (modules.isEmpty()) {
            failure = failed(Cause.NO_RESULT, withoutModules(files.get(0), unpacker.otherKernels()));
            return;
        }
        built = Inventory.of(modules, prepared.request().jobs());
        CheckReport check = check(modules);
        Completeness completeness = completeness(unpacker.packages(), image, subject, installed);
        refused = refusedPackages(check);
        if (refused.size() == job.packages().size()) {
            refused = Map.of();
        } else if (!refused.isEmpty()) {
            modules = withoutRefused(modules);
            built = Inventory.of(modules, prepared.request().jobs());
            check = check(modules);
        }
        results = new RebuildOutcome.Results(
                files, unpacker.packages(), modules, unpacker.overrides(), check, completeness);
        judge(check, completeness);
    }

    /**
     * Returns the separately built packages with a refused module, with reasons. The results do not contain the modules
     * of these packages. The map is empty if every package has a refused module, because the whole result is then
     * refused.
     */
    Map<String, String> refused() {
        return refused;
    }

    private Map<String, String> refusedPackages(CheckReport check) {
        Map<String, String> found = new TreeMap<>();
        for (Verdict verdict : check.verdicts()) {
            String label = packageOf(verdict.module().origin().toString());
            if (verdict.outcome() == Outcome.INCOMPATIBLE && !label.isEmpty()) {
                String name = verdict.module().origin().moduleName();
                String other = builtForAnother(verdict);
                found.putIfAbsent(
                        label,
                        name + " would be refused: "
                                + (other.isEmpty() ? VerdictReason.of(verdict) : NextStep.builtFor(other)));
            }
        }
        return found;
    }

    private String builtForAnother(Verdict verdict) {
        String release = verdict.module().release();
        return release == null || release.equals(job.place().kernel()) ? "" : release;
    }

    private String packageOf(String file) {
        for (String label : job.packages()) {
            if (file.contains("/" + label + "/" + job.place().kernel() + "/")) {
                return label;
            }
        }
        return "";
    }

    private List<Path> withoutRefused(List<Path> modules) {
        List<Path> left = new ArrayList<>(modules);
        left.removeIf(module -> refused.containsKey(packageOf(module.toString())));
        return left;
    }

    private String withoutModules(Path file, List<String> others) {
        return file
                + ": contains no modules for "
                + job.place().kernel()
                + (others.isEmpty() ? "" : ", only for " + String.join(", ", others));
    }

    private void judge(CheckReport check, Completeness completeness) {
        Set<String> broken = check.brokenInUse();
        if (check.tally().incompatible() > 0) {
            failure = wrongModules(check);
        } else if (!broken.isEmpty()) {
            failure = new Diagnosis(
                    Cause.WRONG_MODULES,
                    "with the built modules, these modules in use would no longer load: " + String.join(", ", broken),
                    "",
                    "rebuild these as well, or check the build tree that was used: "
                            + job.place().buildTree());
        } else if (!completeness.isComplete()) {
            failure = incomplete(completeness.missing());
        }
    }

    private Diagnosis wrongModules(CheckReport check) {
        String line = check.tally().incompatible()
                + " of "
                + Numbers.of(check.tally().total(), "module")
                + " built would be refused";
        String other = "";
        for (Verdict verdict : check.verdicts()) {
            other = verdict.outcome() == Outcome.INCOMPATIBLE && other.isEmpty() ? builtForAnother(verdict) : other;
        }
        return other.isEmpty()
                ? failed(Cause.WRONG_MODULES, line)
                : new Diagnosis(Cause.WRONG_MODULES, line + ", " + NextStep.builtFor(other), "", NextStep.GIVEN_KERNEL);
    }

    private Diagnosis incomplete(List<String> missing) {
        return new Diagnosis(
                Cause.MISSING_MODULES,
                "not in the result: " + String.join(", ", missing),
                "",
                NextStep.ofMissing(missing, prepared.installing()));
    }

    private Diagnosis notThere() {
        String kernel = job.place().kernel();
        return new Diagnosis(
                Cause.NO_RESULT,
                "the build reports that modules for " + kernel + " exist already, but none were found",
                "",
                "see what is installed: weaklink check --kernel "
                        + ShellWord.of(kernel)
                        + prepared.root().words());
    }

    private Diagnosis failed(Cause cause, String line) {
        return new Diagnosis(
                cause,
                line,
                "",
                NextStep.of(cause, job.place(), prepared.evidence().platform()));
    }

    private ExpectedOutput expected(BuildExecution.Ended ended) throws NotDoneException {
        Bundle bundle = job.bundle();
        return ended.ending() == BuildStatus.ALREADY_THERE && bundle != null && bundle.form() == Bundle.Form.DIRECTORY
                ? new ExpectedOutput.Files(List.of(bundle.path()), "", List.of(".rpm", ".deb", ".ko"))
                : prepared.backend().expected(job);
    }

    /**
     * Copies results to the run's directory, because the work directory is removed and other directories may change
     * before the installation. Results that the backend's own tool installs stay where the tool expects them.
     */
    private List<Path> keep(List<Path> files) throws IOException, NotDoneException {
        if (!prepared.backend().installation(job, Set.of()).isEmpty()) {
            return files;
        }
        RunDirectory run = prepared.run();
        Path work = run.work().toRealPath();
        List<Path> kept = new ArrayList<>();
        for (Path file : files) {
            boolean inside = file.startsWith(work);
            Path below = (inside ? work : file.getRoot()).relativize(file);
            Path copy = run.results().resolve(below.toString());
            Files.createDirectories(copy.resolveSibling("."));
            DurableFiles.copy(file, copy);
            kept.add(copy);
            if (inside) {
                Files.delete(file); // the disk may not have space for both
            }
        }
        return kept;
    }

    private CheckReport check(List<Path> modules) {
        return prepared.check(modules.stream().map(Path::toString).toList());
    }

    private Completeness completeness(
            List<Path> packages, List<String> image, String subject, List<BuiltModule> installed) throws IOException {
        List<String> names = packages.stream()
                .map(file -> String.valueOf(file.getFileName()))
                .toList();
        return Completeness.of(
                        image,
                        names,
                        installed,
                        BuiltModule.names(built),
                        EarlierRuns.modules(prepared.root(), prepared.backend().id(), subject))
                .allowing(prepared.request().allowedMissing());
    }

    /**
     * Returns the file names of the packages with modules in the installation image of Mellanox; empty if the build
     * uses no image. The names in an archive or an ISO file are known only after the build has unpacked it.
     */
    List<String> imagePackages() throws IOException {
        Bundle bundle = job.bundle();
        if (bundle == null) {
            return List.of();
        }
        Path unpacked = prepared.run().work().resolve("bundle");
        return bundle.isPacked() && Files.isDirectory(unpacked)
                ? BundleReader.read(unpacked, Map.of()).packages()
                : bundle.packages();
    }
}
