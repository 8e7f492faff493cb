package dev.weaklink.rebuild.run;

import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.plan.RebuildGroup.TriedBuild;
import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.DkmsFailure;
import dev.weaklink.rebuild.DkmsOrder;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.RebuildGroups;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.run.Preparation.PriorRebuilds;
import dev.weaklink.rules.Product.RebuildHint;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.initramfs.UnfinishedInstallation;
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

/** Prepares all rebuilds that a plan calls for, and changes nothing. */
public final class RebuildPlanner {
    private static final String NO_BUNDLE =
            "the installation image of this product is needed: give it with --bundle PATH or, without --root,"
                    + " with 'bundle = PATH' in /etc/weaklink/weaklink.conf";

    private final PlanRequest request;
    private final SiteSettings site;
    private final List<Path> bundles;
    private final Map<String, String> environment;

    /**
     * Creates a planner for one run of the program.
     *
     * @param request the request for the plan
     * @param bundle an installation image of Mellanox from the command line; null if the command line names none
     */
    public RebuildPlanner(
            PlanRequest request, SiteSettings site, @Nullable Path bundle, Map<String, String> environment) {
        this.request = request;
        this.site = site;
        this.bundles = bundle == null ? site.bundles() : List.of(bundle);
        this.environment = environment;
    }

    SiteSettings site() {
        return site;
    }

    public List<PlannedRebuild> plan(PlanResult result) {
        List<PlannedRebuild> planned = new ArrayList<>();
        Map<String, PriorRebuilds> all = new HashMap<>();
        for (RebuildGroup group : groups(result)) {
            PriorRebuilds ahead = all.getOrDefault(group.kernel(), PriorRebuilds.NOTHING);
            PlannedRebuild one = prepare(group, ahead);
            planned.add(one);
            if (one.refusal().isEmpty()) {
                all.put(group.kernel(), ahead.and(one, site.install()));
            }
        }
        return planned;
    }

    /**
     * Returns the groups of modules to rebuild, in the order of building. The groups of the kernel that boots next come
     * first. Within a kernel, groups that Mellanox's own tools build come first, because other modules are built
     * against their RDMA modules. DKMS packages follow in the order of their dependencies, then all other groups.
     */
    public static List<RebuildGroup> groups(PlanResult result) {
        if (!RebuildGroups.isNeeded(result.plan())) {
            return List.of();
        }
        Evidence evidence = EvidenceReader.read(result.root(), null);
        Set<String> finished = new TreeSet<>(InstalledKernels.bootable(result.root()));
        finished.removeIf(
                kernel -> !UnfinishedInstallation.of(kernel, result.root()).isEmpty());
        List<RebuildGroup> all = RebuildGroups.of(result.plan(), evidence, finished);
        List<RebuildGroup> sorted = new ArrayList<>();
        for (KernelPlan kernel : result.plan().nextFirst()) {
            List<RebuildGroup> own = new ArrayList<>(all);
            own.removeIf(group -> !group.kernel().equals(kernel.kernel()));
            Set<String> labels = new TreeSet<>();
            own.forEach(group -> labels.addAll(isOfDkms(group) ? group.packages() : List.of()));
            List<String> order =
                    DkmsOrder.of(labels, evidence.dkms(), kernel.kernel()).packages();
            own.sort(Comparator.comparingInt(group -> rank(group, order)));
            List<String> failed = labels.isEmpty() ? List.of() : failed(kernel.kernel(), evidence, result.root());
            own.forEach(group -> sorted.add(withTrials(group, failed, result.root())));
        }
        return sorted;
    }

    /** Returns the packages whose source does not compile for the kernel according to DKMS's logs. */
    private static List<String> failed(String kernel, Evidence evidence, Root root) {
        return DkmsFailures.of(kernel, false, evidence, root).stream()
                .filter(failure -> failure.diagnosis().cause() == Diagnosis.Cause.API_CHANGE)
                .map(DkmsFailure::label)
                .toList();
    }

    private static RebuildGroup withTrials(RebuildGroup group, List<String> failed, Root root) {
        List<TriedBuild> tried = new ArrayList<>();
        Set<String> failing = new TreeSet<>(isOfDkms(group) ? group.packages() : List.of());
        failing.retainAll(failed);
        KeptTrials kept = new KeptTrials(root);
        // Trial builds run on the running system only. Results below another root are not read, because symlinks may
        // lead out of that root.
        for (String label : isOfDkms(group) && root.isHost() ? group.packages() : List.<String>of()) {
            try {
                Trial trial = kept.current(label, group.kernel());
                if (trial != null) {
                    tried.add(new TriedBuild(
                            label, trial.result().id(), trial.result().words(), trial.line(), trial.tried()));
                    if (trial.result().isFailure()) {
                        failing.add(label);
                    }
                }
            } catch (IOException e) {
                // No trial result is valid for a source or headers that cannot be read.
            }
        }
        return group.with(tried, failing);
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

    /**
     * Returns whether an attempt to rebuild the group may succeed. If the backend needs an installation image of
     * Mellanox, an image must be available.
     */
    public boolean canBePrepared(RebuildGroup group) {
        try {
            return group.canBeTried() && (!group.needsBundle() || bundle(group) != null);
        } catch (NotDoneException e) {
            return false;
        }
    }

    PlannedRebuild prepare(RebuildGroup group, PriorRebuilds ahead) {
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

    /**
     * Returns a request with which {@link KeptRun#find} finds an earlier rebuild for this kernel. The record of that
     * rebuild contains the backend and the inputs.
     */
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
                // A result that is installed on this machine needs no repository.
                new Job.Settings(null, true, true),
                RebuildHint.SiteCommand.NONE,
                List.of(),
                environment,
                request.reading().threads());
    }

    /**
     * Returns a clause for each installation image, saying that the image is of another product; empty without images.
     * Correct only after {@link #bundle} found no image.
     */
    private String given() {
        List<String> others =
                bundles.stream().map(path -> path + " is of another product; ").toList();
        return String.join("", others);
    }

    /**
     * Returns the first path of an image of the group's product; null if there is none. Also returns a path that is not
     * an image, so that the rebuild reports it.
     */
    private @Nullable Path bundle(RebuildGroup group) throws NotDoneException {
        for (Path path : bundles) {
            try {
                Bundle bundle = BundleReader.read(path, environment);
                if (bundle.form() == Bundle.Form.FOREIGN) {
                    return path; // the rebuild reports what is wrong with the image
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
     * A rebuild that a plan calls for, and its preparation.
     *
     * @param group the modules to rebuild, with their kernel and source
     * @param prepared the commands to run, and the obstacles; null if the preparation was not tried, or failed
     * @param kept a finished earlier run of the same rebuild that was not installed; null if there is none
     * @param refusal the reason why the rebuild cannot be started; empty if it can, or if the preparation was not tried
     */
    public record PlannedRebuild(
            RebuildGroup group,
            @Nullable PreparedRebuild prepared,
            @Nullable KeptRun kept,
            String refusal) {
        public static PlannedRebuild of(RebuildGroup group) {
            return new PlannedRebuild(group, null, null, "");
        }
    }
}
