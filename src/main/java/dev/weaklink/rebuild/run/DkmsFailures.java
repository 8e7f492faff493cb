package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.DkmsFailure;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.LogDigest;
import dev.weaklink.rebuild.LogDigest.LogText;
import dev.weaklink.rebuild.TerminalText;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsBuild;
import dev.weaklink.system.DkmsTree.DkmsBuild.DkmsState;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads the logs of DKMS's failed builds. DKMS keeps {@code build/make.log} below a package's directory until the next
 * build of the package, and moves the log away when a build succeeds (dkms 3.0 to 3.2).
 */
final class DkmsFailures {
    private static final int LOG_LIMIT = 4 << 20;
    private static final int MAX_TIME = 40;
    private static final String KERNEL = " for kernel ";

    private DkmsFailures() {}

    /**
     * Returns the failed builds for a kernel, sorted by package.
     *
     * @param stopped true if the kernel's installation is unfinished; for an autoinstalled package, the log of another
     *     kernel then also counts
     */
    static List<DkmsFailure> of(String kernel, boolean stopped, Evidence evidence, Root root) {
        DkmsTree dkms = evidence.dkms();
        List<DkmsFailure> failures = new ArrayList<>();
        for (DkmsPackage one : dkms.packages()) {
            DkmsFailure failure = isBuilt(one, kernel, dkms) ? null : read(one, kernel, evidence, root);
            boolean isOfKernel = failure != null && failure.logged().equals(kernel);
            if (failure != null && (isOfKernel || stopped && one.autoinstall())) {
                failures.add(failure);
            }
        }
        return failures;
    }

    private static boolean isBuilt(DkmsPackage one, String kernel, DkmsTree dkms) {
        return dkms.builds().stream()
                .anyMatch(build -> build.label().equals(one.label())
                        && build.kernel().equals(kernel)
                        && (build.state() == DkmsState.BUILT || build.state() == DkmsState.INSTALLED));
    }

    private static @Nullable DkmsFailure read(DkmsPackage one, String kernel, Evidence evidence, Root root) {
        String log = "/var/lib/dkms/" + one.name() + "/" + one.version() + "/build/make.log";
        List<String> lines = new RootText(root)
                .read(log, LOG_LIMIT)
                .lines()
                .map(TerminalText::plain)
                .toList();
        String logged = lines.isEmpty() ? "" : kernel(lines.get(0));
        if (logged.isEmpty()) {
            return null;
        }
        String tree = "/lib/modules/" + kernel + "/build";
        LogDigest digest = new LogDigest(new Job.BuildPlace(kernel, tree, "/var/lib/dkms", null), evidence.platform());
        List<String> printed = lines.subList(Math.min(2, lines.size()), lines.size());
        return new DkmsFailure(
                one.label(),
                kernel,
                logged,
                new ArrayList<>(modules(one, evidence.dkms())),
                lines.size() > 1 ? time(lines.get(1)) : "",
                log,
                digest.read(List.of(new LogText(log, printed)), 10));
    }

    private static String kernel(String first) {
        int start = first.indexOf(KERNEL);
        int end = start < 0 ? -1 : first.indexOf(" (", start + KERNEL.length());
        return end < 0 ? "" : first.substring(start + KERNEL.length(), end);
    }

    private static String time(String second) {
        String time = second.strip();
        return time.length() <= MAX_TIME && time.matches(".*[0-9]:[0-9][0-9].*") ? time : "";
    }

    private static Set<String> modules(DkmsPackage one, DkmsTree dkms) {
        Set<String> modules = new TreeSet<>(one.modules());
        for (DkmsBuild build : dkms.builds()) {
            if (build.label().equals(one.label())) {
                modules.addAll(build.modules());
            }
        }
        return modules;
    }
}
