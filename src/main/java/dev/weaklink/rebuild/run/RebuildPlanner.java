package dev.weaklink.rebuild.run;

import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.plan.RebuildGroup.TriedBuild;
import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.DkmsOrder;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.RebuildGroups;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.run.Preparation.EarlierRuns;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledKernels;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Prepares all rebuilds that a plan calls for; changes nothing. */
public final class RebuildPlanner {
    private static final String NO_BUNDLE =
            "its installation image is needed: give it with --bundle PATH, or write 'bundle = PATH' into"
                    + " /etc/weaklink/weaklink.conf";

    private final PlanRequest request;
    private final SiteSettings site;
    private final List<Path> bundles;
    private final Map<String, String> environment;

    /**
     * For one run of the program.
     *
     * @param request what is planned
     * @param bundle an installation image given by hand, null if none
     * @param environment the environment's variables
     */
    public RebuildPlanner(
            PlanRequest request, SiteSettings site, @Nullable Path bundle, Map<String, String> environment) {
        this.request = request;
        this.site = site;
        this.bundles = bundle == null ? site.bundles() : List.of(bundle);
        this.environment = environment;
    }

    /** How this site wants it. */
    SiteSettings site() {
        return site;
    }

    /** The rebuilds, each after those it may build upon. */
    public List<PlannedRebuild> plan(PlanResult result) {
        List<PlannedRebuild> planned = new ArrayList<>();
        Map<String, EarlierRuns> all = new HashMap<>();
        for (RebuildGroup group : groups(result)) {
            EarlierRuns ahead = all.getOrDefault(group.kernel(), EarlierRuns.NOTHING);
            PlannedRebuild one = prepare(group, ahead);
            planned.add(one);
            if (one.refusal().isEmpty()) {
                all.put(group.kernel(), ahead.and(one, site.install()));
            }
        }
        return planned;
    }

    /**
     * What they are for: that of the kernel that boots next first; of one kernel the vendor's stack, against which
     * others are built, then DKMS's packages as they need each other.
     */
    public static List<RebuildGroup> groups(PlanResult result) {
        if (!RebuildGroups.isNeeded(result.plan())) {
            return List.of();
        }
        Evidence evidence = EvidenceReader.read(result.root(), null);
        List<RebuildGroup> all = RebuildGroups.of(result.plan(), evidence, InstalledKernels.bootable(result.root()));
        List<RebuildGroup> sorted = new ArrayList<>();
        for (KernelPlan kernel : result.plan().nextFirst()) {
            List<RebuildGroup> own = new ArrayList<>(all);
            own.removeIf(group -> !group.kernel().equals(kernel.kernel()));
            Set<String> labels = new TreeSet<>();
            own.forEach(group -> labels.addAll(isOfDkms(group) ? group.packages() : List.of()));
            List<String> order =
                    DkmsOrder.of(labels, evidence.dkms(), kernel.kernel()).packages();
            own.sort(Comparator.comparingInt(group -> rank(group, order)));
            own.forEach(group -> sorted.add(withTrials(group, result.root())));
        }
        return sorted;
    }

    /** Adds what trial builds of the group's packages have shown. */
    private static RebuildGroup withTrials(RebuildGroup group, Root root) {
        List<TriedBuild> tried = new ArrayList<>();
        KeptTrials kept = new KeptTrials(root);
        // Trials are made on the running system only; the files of an image may lead out of it.
        for (String label : isOfDkms(group) && root.isHost() ? group.packages() : List.<String>of()) {
            try {
                Trial trial = kept.current(label, group.kernel());
                if (trial != null) {
                    tried.add(new TriedBuild(
                            label, trial.result().id(), trial.result().words(), trial.line(), trial.tried()));
                }
            } catch (IOException e) {
                // The source or the headers cannot be read: no result is valid for them.
            }
        }
        return group.with(tried);
    }

    private static boolean isOfDkms(RebuildGroup group) {
        return group.backend().equals("dkms");
    }

    private static int rank(RebuildGroup group, List<String> order) {
        if (group.needsBundle() || group.backend().equals("doca")) {
            return -1;
        }
        int last = -1;
        for (String label : group.packages()) {
            last = Math.max(last, order.indexOf(label));
        }
        return isOfDkms(group) ? last : order.size();
    }

    /** Whether it can be started, as far as can be said without looking for what it needs. */
    public boolean isKnown(RebuildGroup group) {
        try {
            return !group.backend().isEmpty() && (!group.needsBundle() || bundle(group) != null);
        } catch (NotDoneException e) {
            return false;
        }
    }

    /**
     * What stands in its way now.
     *
     * @param ahead what will be done for its kernel before it
     */
    PlannedRebuild prepare(RebuildGroup group, EarlierRuns ahead) {
        try {
            if (group.backend().isEmpty()) {
                return refused(group, null, group.reason());
            }
            Path bundle = group.needsBundle() ? bundle(group) : null;
            if (group.needsBundle() && bundle == null) {
                return refused(group, null, given() + NO_BUNDLE);
            }
            PreparedRebuild prepared = Preparation.prepare(request(group, bundle), ahead);
            KeptRun kept = KeptRun.finished(prepared);
            return kept == null && prepared.isBlocked()
                    ? refused(group, prepared, blocking(prepared))
                    : new PlannedRebuild(group, prepared, kept, "");
        } catch (NotDoneException e) {
            return refused(group, null, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return refused(group, null, IoReason.of(e));
        }
    }

    private static PlannedRebuild refused(RebuildGroup group, @Nullable PreparedRebuild prepared, String why) {
        return new PlannedRebuild(group, prepared, null, why);
    }

    private static String blocking(PreparedRebuild prepared) {
        List<String> words = prepared.obstacles().stream()
                .filter(obstacle -> obstacle.weight() == Obstacle.Weight.BLOCKS)
                .map(Obstacle::message)
                .toList();
        return String.join("; ", words);
    }

    private RebuildRequest request(RebuildGroup group, @Nullable Path bundle) {
        return group.product().isEmpty()
                ? request(group.kernel(), null, bundle, group.backend(), group.packages())
                : request(group.kernel(), group.product(), bundle, null, List.of());
    }

    /** Returns a request for a run that is kept: everything else is known by the run. */
    RebuildRequest request(String kernel) {
        return request(kernel, null, null, null, List.of());
    }

    private RebuildRequest request(
            String kernel,
            @Nullable String product,
            @Nullable Path bundle,
            @Nullable String backend,
            List<String> packages) {
        return new RebuildRequest(
                request.root(),
                kernel,
                product,
                bundle,
                backend,
                packages,
                null,
                site.work(),
                // What is installed here needs no repository.
                new Job.Settings(null, true, true),
                RebuildHint.Command.NONE,
                List.of(),
                environment,
                request.reading().threads());
    }

    /** The images there are, where they are all of other products; empty if there are none. */
    private String given() {
        List<String> others =
                bundles.stream().map(path -> path + " is of another product; ").toList();
        return String.join("", others);
    }

    /** The first image of the group's product; null if there is none. */
    private @Nullable Path bundle(RebuildGroup group) throws NotDoneException {
        for (Path path : bundles) {
            try {
                Bundle bundle = BundleReader.read(path, environment);
                if (bundle.form() == Bundle.Form.FOREIGN) {
                    return path; // what is wrong with it is said when it is used
                }
                if (bundle.isOf(group.product().startsWith("mlnx") ? group.product() : null)) {
                    return path;
                }
            } catch (IOException e) {
                throw new NotDoneException(path + ": " + IoReason.of(e));
            }
        }
        return null;
    }

    /**
     * A rebuild that a plan calls for, looked at before any is started.
     *
     * @param group what it is for
     * @param prepared what would be run, and what would make it fail; null if that is not known
     * @param kept an earlier run of the same that has come to its end and was not installed; null if there is none
     * @param refusal why it cannot be started, and what to do about it; empty if it can
     */
    public record PlannedRebuild(
            RebuildGroup group,
            @Nullable PreparedRebuild prepared,
            @Nullable KeptRun kept,
            String refusal) {
        /** One of a plan that nobody has looked into further. */
        public static PlannedRebuild of(RebuildGroup group) {
            return new PlannedRebuild(group, null, null, "");
        }
    }
}
