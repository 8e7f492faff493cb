package dev.weaklink.rebuild.report;

import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.rebuild.RebuildGroups;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.run.KeptTrials;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Root;
import dev.weaklink.system.DkmsReader;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The lines about the trial builds of modules that a kernel lacks or would refuse. Only results that are still valid
 * are shown.
 */
public final class TrialLines {
    private TrialLines() {}

    /** Returns a line for each kernel and each tried DKMS package with a module that the kernel lacks or refuses. */
    public static String of(GateReport report, Root root) throws IOException {
        Map<String, Set<String>> files = new TreeMap<>();
        for (GateAnswer answer : report.asked()) {
            String release = answer.target().release();
            for (Verdict verdict : answer.verdicts()) {
                String file = verdict.module().origin().toString();
                boolean isMissing = !answer.inPlace().contains(file) || verdict.outcome() == Outcome.INCOMPATIBLE;
                if (isMissing && release != null) {
                    files.computeIfAbsent(release, key -> new TreeSet<>()).add(file);
                }
            }
        }
        return lines(files, root);
    }

    /** Returns a line for each kernel of the plan and each tried DKMS package with a module to build for the kernel. */
    public static String of(Plan plan, Root root) throws IOException {
        Map<String, Set<String>> files = new TreeMap<>();
        for (KernelPlan kernel : plan.kernels()) {
            for (ModulePlan module : kernel.modules()) {
                if (RebuildGroups.needsRebuild(module)) {
                    files.computeIfAbsent(kernel.kernel(), key -> new TreeSet<>())
                            .add(module.build());
                }
            }
        }
        return lines(files, root);
    }

    private static String lines(Map<String, Set<String>> files, Root root) throws IOException {
        KeptTrials kept = new KeptTrials(root);
        // Trials run on the running system only. Results below another root are not read, because symlinks may lead out
        // of that root.
        if (!root.isHost() || files.isEmpty() || kept.readable().isEmpty()) {
            return "";
        }
        DkmsTree dkms = DkmsReader.read(root);
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Set<String>> kernel : files.entrySet()) {
            Set<String> products = new TreeSet<>();
            for (String file : kernel.getValue()) {
                DkmsPackage owner = dkms.ownerOf(file);
                if (owner != null) {
                    products.add(owner.label());
                }
            }
            for (String product : products) {
                Trial trial = kept.latest(product, kernel.getKey());
                if (trial != null) {
                    text.append(line(trial));
                }
            }
        }
        return text.toString();
    }

    private static String line(Trial trial) {
        String reason = trial.line().isEmpty() ? "" : ": " + trial.line();
        String words = trial.product() + " was tried for " + trial.kernel() + " on " + trial.tried() + ": "
                + trial.result().words() + reason;
        return "weaklink: " + Escape.text(words) + "\n";
    }
}
