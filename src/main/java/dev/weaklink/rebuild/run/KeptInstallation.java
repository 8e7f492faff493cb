package dev.weaklink.rebuild.run;

import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Manifest.PackageResult;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.run.RebuildRun.RunListener;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.system.DkmsReader;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsBuild.DkmsState;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Installs the modules that trial builds have kept for a kernel. Nothing is compiled, so a hook of a package manager
 * can install them before DKMS would build them.
 *
 * @param jobs the number of threads for checks, at least 1
 */
public record KeptInstallation(String kernel, Map<String, String> environment, int jobs) {
    /** The value of {@code weaklink rebuild --install} that means the kept modules instead of the result of a run. */
    public static final String WORD = "kept";

    public static final String CHANGED =
            "no intact modules from a trial build fit the present source, headers, compiler, linker, DKMS settings"
                    + " and environment";

    /**
     * The result of an installation.
     *
     * @param used the DKMS packages whose kept modules are installed
     * @param left the DKMS packages that DKMS still has to build, although their trials succeeded
     * @param reason the reason why packages are left; empty if {@code left} is empty
     */
    public record KeptInstalled(List<String> used, List<String> left, String reason) {
        public KeptInstalled {
            used = List.copyOf(used);
            left = List.copyOf(left);
        }
    }

    /**
     * A plan to install kept modules.
     *
     * @param tried the DKMS packages that DKMS has not built, although their trials succeeded
     * @param prepared the rebuild that uses the kept modules; null if nothing can be installed
     * @param reason the reason why nothing can be installed; empty if something can be installed, or if {@code tried}
     *     is empty
     */
    public record KeptPlan(List<String> tried, @Nullable PreparedRebuild prepared, String reason) {
        public KeptPlan {
            tried = List.copyOf(tried);
        }
    }

    /** Plans the installation and changes nothing. */
    public KeptPlan plan() throws NotDoneException, IOException {
        Root root = Root.of(null);
        List<String> tried = tried(DkmsReader.read(root), new KeptTrials(root).all(), kernel);
        if (tried.isEmpty()) {
            return new KeptPlan(tried, null, "");
        }
        PreparedRebuild prepared = takingOnly(Preparation.prepare(request(tried)));
        String refusal = prepared.steps().isEmpty() ? CHANGED : "";
        for (Obstacle one : prepared.obstacles()) {
            refusal = one.weight() == Obstacle.Weight.BLOCKS && refusal.isEmpty() ? one.message() : refusal;
        }
        return new KeptPlan(tried, refusal.isEmpty() ? prepared : null, refusal);
    }

    /**
     * Installs the kept modules of the packages that DKMS has not built for the kernel and whose trials succeeded.
     *
     * @param listener receives the progress of the build and of the installation
     * @param limit the longest time that DKMS may take for one package
     * @param version the version of weaklink, for the record of the run
     * @throws NotDoneException if the installation fails; the exception says whether everything is as before
     */
    public KeptInstalled run(RunListener listener, TransactionSettings settings, Duration limit, String version)
            throws NotDoneException, IOException {
        KeptPlan plan = plan();
        PreparedRebuild prepared = plan.prepared();
        return prepared == null
                ? new KeptInstalled(List.of(), plan.tried(), plan.reason())
                : install(prepared, plan.tried(), listener, settings, limit, version);
    }

    private KeptInstalled install(
            PreparedRebuild prepared,
            List<String> tried,
            RunListener listener,
            TransactionSettings settings,
            Duration limit,
            String version)
            throws NotDoneException, IOException {
        RebuildOutcome outcome = new RebuildRun(prepared, listener, version).run(limit);
        if (outcome == null) {
            return new KeptInstalled(List.of(), tried, "another rebuild is running");
        }
        if (!outcome.isUsable()) {
            Diagnosis failure = outcome.failure();
            String line = failure == null ? "" : failure.line().strip();
            return new KeptInstalled(
                    List.of(), tried, line.isEmpty() ? "DKMS did not accept the modules from the trial builds" : line);
        }
        String title = "weaklink rebuild --kernel " + kernel + " --install=" + WORD;
        Installation.Installed installed = new Installation(prepared, outcome, settings, title, listener::phase)
                .run(TransactionGroup.begin(prepared.root(), title));
        List<String> used = new ArrayList<>(outcome.manifest().builtPackages());
        List<PackageResult> missing = installed.missing();
        missing.forEach(one -> used.remove(one.label()));
        List<String> left = new ArrayList<>(tried);
        left.removeAll(used);
        String reason = missing.isEmpty() ? CHANGED : missing.get(0).reason();
        return new KeptInstalled(used, left, left.isEmpty() ? "" : reason);
    }

    /**
     * Returns the packages that {@code dkms autoinstall} would build for the kernel, and whose trial for the kernel
     * succeeded.
     */
    static List<String> tried(DkmsTree tree, List<Trial> trials, String kernel) {
        List<String> tried = new ArrayList<>();
        for (DkmsPackage one : tree.packages()) {
            String label = one.label();
            boolean isLatest = one.equals(tree.latest(one.name()));
            boolean isBuilt = tree.builds().stream()
                    .anyMatch(build -> build.label().equals(label)
                            && build.kernel().equals(kernel)
                            && Set.of(DkmsState.BUILT, DkmsState.INSTALLED).contains(build.state()));
            boolean hasLoaded = trials.stream()
                    .anyMatch(trial -> trial.product().equals(label)
                            && trial.kernel().equals(kernel)
                            && trial.result() == TrialResult.LOADS);
            if (one.autoinstall() && isLatest && !isBuilt && hasLoaded) {
                tried.add(label);
            }
        }
        return tried;
    }

    private static PreparedRebuild takingOnly(PreparedRebuild prepared) {
        List<Step> taking = taking(prepared.steps());
        return new PreparedRebuild(
                prepared.request(),
                prepared.root(),
                prepared.evidence(),
                prepared.backend(),
                prepared.reason(),
                prepared.job().with(taking.stream().map(Step::subject).toList()),
                taking,
                prepared.obstacles(),
                prepared.run());
    }

    /**
     * Returns the steps that use kept modules, without their alternatives: if such a step fails, no compiler may start.
     */
    static List<Step> taking(List<Step> steps) {
        List<Step> taking = new ArrayList<>();
        for (Step step : steps) {
            if (step.instead() != null) {
                taking.add(step.withoutAlternative());
            }
        }
        return taking;
    }

    private RebuildRequest request(List<String> packages) {
        return new RebuildRequest(
                null,
                kernel,
                null,
                null,
                "dkms",
                packages,
                null,
                null,
                new Job.Settings(null, true, false),
                RebuildHint.SiteCommand.NONE,
                List.of(),
                environment,
                jobs);
    }
}
