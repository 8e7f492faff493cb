package dev.weaklink.rebuild.run;

import dev.weaklink.links.LinkChanges;
import dev.weaklink.links.LinkChanges.AppliedPlan;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.transaction.Change;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.LinkTransaction.ExternalInstallation;
import dev.weaklink.links.transaction.PathChange;
import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.links.transaction.TransactionOutcome;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Manifest.PackageResult;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.run.Preparation.PriorRebuilds;
import dev.weaklink.rebuild.run.RebuildPlanner.PlannedRebuild;
import dev.weaklink.rebuild.run.RebuildRun.RunListener;
import dev.weaklink.rebuild.run.RebuildingApply.RebuildResult.RebuildState;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.StableId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * An apply with rebuilds: links the builds that fit, rebuilds the other modules, installs the results, and links again.
 * If an apply is interrupted, the next apply continues it.
 */
public final class RebuildingApply {
    private final Root root;
    private final PlanRequest request;
    private final RebuildPlanner planner;
    private final TransactionSettings settings;

    public RebuildingApply(PlanRequest request, RebuildPlanner planner, TransactionSettings settings)
            throws IOException {
        this.root = Root.of(request.root());
        this.request = request;
        this.planner = planner;
        this.settings = settings;
    }

    /**
     * A listener that receives the plan before the links of the plan are made, and the links before the rebuilds start.
     */
    public interface Stages {
        void planned(PlanResult plan, List<PlannedRebuild> rebuilds) throws IOException;

        void linked(AppliedPlan applied) throws IOException;
    }

    public record Listeners(Stages stages, RunListener builds, TransactionListener links) {}

    /**
     * The result of an apply with rebuilds.
     *
     * @param rebuilds one result for each planned rebuild; if a signal ended a rebuild, the later rebuilds have no
     *     result
     * @param first the links that were made before the rebuilds
     * @param outcome the installed files, and the links to these files
     * @param now the plan after all changes
     * @param initramfs lines about stale initramfs images, with the commands that renew these images
     * @param loading the step that loads the installed modules, a reload or a reboot; empty if no step is needed
     */
    public record Done(
            List<RebuildResult> rebuilds,
            AppliedPlan first,
            TransactionOutcome outcome,
            PlanResult now,
            List<String> initramfs,
            String loading) {
        public Done {
            initramfs = List.copyOf(initramfs);
            rebuilds = List.copyOf(rebuilds);
        }

        public boolean isBroken() {
            return !first.outcome().initramfsFailures().isEmpty()
                    || !outcome.initramfsFailures().isEmpty()
                    || rebuilds.stream().anyMatch(one -> one.state() == RebuildResult.RebuildState.BROKEN);
        }
    }

    /**
     * Links the builds that fit, runs the rebuilds, installs the results, and links again.
     *
     * @param title the command line, for the history
     * @param initramfs whether to renew initramfs images that contain changed modules
     * @param version the version of this program, for the record
     * @return the result; null if another process is still rebuilding after {@link SiteSettings#limit}
     * @throws NotDoneException if the links could not be made; the message describes the state of the root
     * @throws IOException if the root cannot be used
     */
    public @Nullable Done run(String title, boolean initramfs, Listeners listeners, String version)
            throws NotDoneException, IOException {
        try (LockFile lock = lock(title, listeners.builds())) {
            return lock == null ? null : locked(title, initramfs, listeners, version);
        }
    }

    private @Nullable LockFile lock(String title, RunListener listener) throws IOException {
        Path file = TransactionGroup.lockFile(root);
        DurableFiles.createDirectories(file.resolveSibling(""));
        return LockFile.acquire(
                file,
                title,
                planner.site().limit(),
                holder -> listener.phase(holder.words() + " is rebuilding; waiting for it to finish"));
    }

    private Done locked(String title, boolean initramfs, Listeners listeners, String version)
            throws NotDoneException, IOException {
        LinkChanges links = new LinkChanges(settings);
        HistoryEntry recovered = links.recover(root, initramfs, listeners.links());
        TransactionGroup group = TransactionGroup.resume(root);
        RebuildSequence sequence =
                new RebuildSequence(root, request, planner, settings, listeners.builds(), version, title);
        sequence.finish(group);
        PlanResult plan = new LinkManager().plan(request);
        List<PlannedRebuild> rebuilds = planner.plan(plan);
        listeners.stages().planned(plan, rebuilds);
        AppliedPlan fitting = links.apply(request, title, initramfs, group, listeners.links());
        AppliedPlan first = new AppliedPlan(recovered, fitting.planned(), fitting.outcome());
        settings.faults().at("after making the links that fit");
        listeners.stages().linked(first);
        List<RebuildResult> results = sequence.run(rebuilds, group);
        settings.faults().at("before linking the rebuilt modules");
        HistoryEntry entry = History.read(root).of(group);
        Map<String, Set<String>> installed = entry == null ? Map.of() : LinkChanges.installed(entry);
        TransactionOutcome outcome = TransactionOutcome.NOTHING;
        if (entry != null && !installed.isEmpty()) {
            outcome = links.apply(request, title, initramfs, group, listeners.links())
                    .outcome();
            outcome = together(entry, installed.keySet(), outcome);
        }
        settings.faults().at("after linking the rebuilt modules");
        links.close(root, group, listeners.links());
        PlanResult now = new LinkManager().plan(request);
        return new Done(
                results,
                first,
                outcome,
                now,
                AfterInstallation.initramfs(root, installed),
                AfterInstallation.loading(
                        root,
                        installed.keySet(),
                        now.plan().next(),
                        request.reading().threads()));
    }

    private static TransactionOutcome together(HistoryEntry entry, Set<String> kernels, TransactionOutcome links) {
        List<PathChange> changes = new ArrayList<>(links.changes());
        for (PathChange change : entry.changes()) {
            if (change.isFile() && !change.path().equals(Change.OVERRIDES)) {
                changes.add(change);
            }
        }
        return new TransactionOutcome(
                Math.max(entry.number(), links.number()),
                changes,
                List.copyOf(kernels),
                List.of(),
                links.initramfsFailures());
    }

    private static final class RebuildSequence {
        private final Root root;
        private final PlanRequest request;
        private final RebuildPlanner planner;
        private final TransactionSettings settings;
        private final RunListener listener;
        private final String version;
        private final String title;
        private boolean installedAny;
        private boolean cancelled;

        RebuildSequence(
                Root root,
                PlanRequest request,
                RebuildPlanner planner,
                TransactionSettings settings,
                RunListener listener,
                String version,
                String title) {
            this.root = root;
            this.request = request;
            this.planner = planner;
            this.settings = settings;
            this.listener = listener;
            this.version = version;
            this.title = title;
        }

        /**
         * Finishes the group's interrupted installations by other programs, such as DKMS. Otherwise a module that DKMS
         * has copied but not recorded would look complete, although DKMS could not remove it.
         */
        void finish(TransactionGroup group) throws IOException {
            History history = History.read(root);
            HistoryEntry entry = history.of(group);
            for (ExternalInstallation announced : entry == null ? List.<ExternalInstallation>of() : entry.external()) {
                if (!history.installed().contains(announced.run())) {
                    listener.phase("finishing the interrupted installation of run " + announced.run());
                    try {
                        finish(announced, group);
                    } catch (NotDoneException | IOException e) {
                        listener.phase("rebuild " + announced.run()
                                + " is only partly installed, and the installation cannot be finished ("
                                + e.getMessage() + "); check its modules: "
                                + String.join(", ", announced.modules()));
                    }
                }
            }
        }

        private void finish(ExternalInstallation announced, TransactionGroup group)
                throws NotDoneException, IOException {
            Path run = RunDirectory.named(root, announced.run());
            KeptRun kept = KeptRun.find(planner.request(announced.kernel()), run.toString());
            RebuildOutcome outcome = kept.judge();
            if (outcome == null || !outcome.isUsable()) {
                throw new NotDoneException(
                        outcome == null ? "another rebuild is running" : "its results no longer fit");
            }
            new Installation(kept.prepared(), outcome, settings, title, listener::phase).run(group);
            installedAny = true;
        }

        /** Runs the rebuilds in order. A failed rebuild does not stop the following rebuilds, but a signal does. */
        List<RebuildResult> run(List<PlannedRebuild> planned, TransactionGroup transactions) {
            List<RebuildResult> results = new ArrayList<>();
            for (PlannedRebuild one : planned) {
                RebuildGroup group = one.group();
                listener.phase("rebuild %d of %d for %s: %s"
                        .formatted(
                                results.size() + 1,
                                planned.size(),
                                group.kernel(),
                                String.join(", ", group.packages().isEmpty() ? group.units() : group.packages())));
                try {
                    results.add(run(one, results.isEmpty(), transactions));
                } catch (IOException e) {
                    results.add(new RebuildResult(group, RebuildState.FAILED, "", IoReason.of(e), ""));
                }
                if (cancelled) {
                    break;
                }
                RebuildResult result = results.get(results.size() - 1);
                if (result.state() == RebuildState.FAILED) {
                    listener.phase("rebuild %d failed: %s".formatted(results.size(), result.reason()));
                }
            }
            return results;
        }

        private RebuildResult run(PlannedRebuild before, boolean first, TransactionGroup transactions)
                throws IOException {
            RebuildGroup group = before.group();
            if (installedAny && !isNeeded(group)) {
                return new RebuildResult(group, RebuildState.NOT_NEEDED, "", "", "");
            }
            // Earlier rebuilds may have installed a missing dependency, or may have failed to install it.
            PlannedRebuild planned = first ? before : planner.prepare(group, PriorRebuilds.NOTHING);
            PreparedRebuild prepared = planned.prepared();
            if (!planned.refusal().isEmpty() || prepared == null) {
                return new RebuildResult(group, RebuildState.BLOCKED, "", planned.refusal(), next(planned));
            }
            KeptRun kept = planned.kept();
            RebuildOutcome outcome = kept == null ? build(prepared) : judge(kept);
            if (outcome == null) {
                String reason = "another rebuild is running for " + group.kernel();
                return new RebuildResult(group, RebuildState.BLOCKED, "", reason, "");
            }
            return finish(group, kept == null ? prepared : kept.prepared(), outcome, transactions);
        }

        private @Nullable RebuildOutcome build(PreparedRebuild prepared) throws IOException {
            RebuildRun run = new RebuildRun(prepared, listener, version);
            RebuildOutcome outcome = run.run(planner.site().limit());
            cancelled = run.isCancelled();
            return outcome;
        }

        private String next(PlannedRebuild refused) {
            PreparedRebuild prepared = refused.prepared();
            for (Obstacle obstacle : prepared == null ? List.<Obstacle>of() : prepared.obstacles()) {
                if (obstacle.weight() == Obstacle.Weight.BLOCKS && obstacle.remedy() != null) {
                    return obstacle.remedy();
                }
            }
            return refused.group().backend().isEmpty() ? refused.group().next(root.words()) : "";
        }

        private @Nullable RebuildOutcome judge(KeptRun kept) throws IOException {
            listener.phase("already built: " + kept.prepared().run().host());
            return kept.judge();
        }

        /**
         * Returns whether a plan still calls for the rebuild. An earlier rebuild may have installed the same modules or
         * a module that they need.
         */
        private boolean isNeeded(RebuildGroup group) throws IOException {
            return RebuildPlanner.groups(new LinkManager().plan(request)).stream()
                    .anyMatch(left ->
                            left.kernel().equals(group.kernel()) && left.units().equals(group.units()));
        }

        private RebuildResult finish(
                RebuildGroup group, PreparedRebuild prepared, RebuildOutcome outcome, TransactionGroup transactions) {
            String run = RunDirectory.name(outcome.directory());
            Diagnosis failure = outcome.failure();
            if (failure != null || !outcome.isUsable()) {
                return failed(group, run, failure);
            }
            if (!planner.site().install()) {
                return new RebuildResult(
                        group, RebuildState.BUILT, run, "weaklink.conf says install = no", prepared.installing());
            }
            return install(group, run, prepared, outcome, transactions);
        }

        private static RebuildResult failed(RebuildGroup group, String run, @Nullable Diagnosis failure) {
            if (failure == null) {
                return new RebuildResult(group, RebuildState.FAILED, run, "nothing was built", "");
            }
            String line = failure.line().strip();
            return new RebuildResult(
                    group,
                    RebuildState.FAILED,
                    run,
                    failure.cause().id()
                            + (line.isEmpty() ? "" : ": " + line)
                            + (failure.file().isEmpty() ? "" : " (in " + failure.file() + ")"),
                    failure.next());
        }

        private RebuildResult install(
                RebuildGroup group,
                String run,
                PreparedRebuild prepared,
                RebuildOutcome outcome,
                TransactionGroup transactions) {
            try {
                listener.phase("installing what was built for " + group.kernel());
                List<PackageResult> missing = new ArrayList<>(outcome.manifest().packages());
                missing.removeIf(one -> !one.isMissing());
                Installation.Installed installed =
                        new Installation(prepared, outcome, settings, title, listener::phase).run(transactions);
                missing.addAll(installed.missing());
                installedAny = true;
                Set<String> modules = new TreeSet<>(group.modules());
                modules.addAll(installed.names(outcome.manifest()));
                return new RebuildResult(
                        group,
                        new ArrayList<>(modules),
                        RebuildState.INSTALLED,
                        run,
                        words(missing, installed.leftOut()),
                        "");
            } catch (NotDoneException e) {
                RebuildState state = e.outcome() == NotDoneException.FailureState.BROKEN
                        ? RebuildState.BROKEN
                        : RebuildState.NOT_INSTALLED;
                return new RebuildResult(group, state, run, String.valueOf(e.getMessage()), "");
            }
        }

        private static String words(List<PackageResult> missing, List<String> leftOut) {
            List<String> words = new ArrayList<>();
            missing.forEach(one -> words.add(one.label() + ": " + one.reason()));
            if (!leftOut.isEmpty()) {
                words.add("without " + String.join(", ", leftOut)
                        + ", which DKMS did not install; the kernel may have its own version");
            }
            return String.join("; ", words);
        }
    }

    /**
     * The result of one rebuild of a plan.
     *
     * @param group the modules to rebuild, with their kernel and source
     * @param modules the names of the group's modules and of modules that were installed with them, sorted
     * @param state the state in which the rebuild ended
     * @param run the run's directory as {@code KERNEL/N}; empty if there is none
     * @param reason the reason why modules were not built or installed, one line; empty if there is none
     * @param next the next step, a command or a sentence; empty if there is none
     */
    public record RebuildResult(
            RebuildGroup group, List<String> modules, RebuildState state, String run, String reason, String next) {
        public RebuildResult {
            modules = List.copyOf(modules);
        }

        public RebuildResult(RebuildGroup group, RebuildState state, String run, String reason, String next) {
            this(group, group.modules(), state, run, reason, next);
        }

        /** The state in which a rebuild of a plan ended. The ids are part of the machine-readable contract. */
        public enum RebuildState implements StableId {
            INSTALLED,
            /** An earlier rebuild made this rebuild unnecessary. */
            NOT_NEEDED,
            /** The modules were built but not installed, because the site sets {@code install = no}. */
            BUILT,
            /** The rebuild was not started: it would have failed, or another rebuild is running for the kernel. */
            BLOCKED,
            FAILED,
            NOT_INSTALLED,
            /** The modules were built, but possibly only some of them are installed. */
            BROKEN
        }
    }
}
