package dev.weaklink.rebuild.run;

import dev.weaklink.check.report.InstallationAdvice;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.rebuild.DkmsFailure;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.sys.DpkgStatus;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.sys.ShellWord;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsBuild.DkmsState;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.PackageOwners;
import dev.weaklink.system.initramfs.UnfinishedInstallation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The failures in the installation of a kernel.
 *
 * @param kernel the kernel's release
 * @param builds the failed DKMS builds for the kernel
 * @param unfinished the signs of an unfinished installation
 * @param packages the names of the packages that contain the failed modules' sources, sorted
 * @param stay the running kernel or an older kernel that is no worse, to boot instead; empty if there is none
 * @param isInterrupted whether dpkg was interrupted; apt then removes no package
 *     (apt-pkg/deb/debsystem.cc:CheckUpdates)
 */
public record InstallationFailure(
        String kernel,
        List<DkmsFailure> builds,
        List<UnfinishedInstallation> unfinished,
        List<String> packages,
        String stay,
        boolean isInterrupted) {
    public InstallationFailure {
        builds = List.copyOf(builds);
        unfinished = List.copyOf(unfinished);
        packages = List.copyOf(packages);
    }

    public static InstallationFailure of(String kernel, Root root) {
        Evidence evidence = EvidenceReader.read(root, null);
        List<UnfinishedInstallation> unfinished = UnfinishedInstallation.of(kernel, root);
        List<DkmsFailure> builds = DkmsFailures.of(kernel, !unfinished.isEmpty(), evidence, root);
        boolean isFine = builds.isEmpty() && unfinished.isEmpty();
        return new InstallationFailure(
                kernel,
                builds,
                unfinished,
                isFine ? List.of() : packages(builds, root),
                isFine ? "" : stay(kernel, builds, evidence.dkms(), root),
                DpkgStatus.isInterrupted(new RootText(root).names("/var/lib/dpkg/updates")));
    }

    public boolean isNone() {
        return builds.isEmpty() && unfinished.isEmpty();
    }

    /** Returns the command or instruction that finishes the installation; empty if nothing is unfinished. */
    public String next() {
        if (unfinished.isEmpty()) {
            return "";
        }
        String finish = unfinished.get(0).next();
        if (packages.isEmpty() || !finish.endsWith("dpkg --configure -a")) {
            return finish;
        }
        List<String> words = packages.stream().map(ShellWord::of).toList();
        String remove = isInterrupted ? "dpkg --remove " : "apt remove ";
        return finish.replace("dpkg --configure -a", remove + String.join(" ", words) + " && dpkg --configure -a");
    }

    /** Returns a clause about how to recover, to print before {@link #next}; empty if no way is known. */
    public String wayOut() {
        String stays = stay.isEmpty() ? "" : "stay with " + stay;
        if (unfinished.isEmpty()) {
            return stays.isEmpty() ? "" : stays + " until these drivers can be built";
        }
        return stays
                + (stays.isEmpty() ? "" : ", or ")
                + (packages.isEmpty() ? "finish the installation:" : "remove these drivers from every kernel:");
    }

    /** Returns the advice on a kernel, or {@link InstallationAdvice#NONE} if no build by DKMS failed. */
    public static InstallationAdvice advice(String kernel, Root root) {
        if (new RootText(root).names("/var/lib/dkms").isEmpty()) {
            return InstallationAdvice.NONE;
        }
        InstallationFailure failure = of(kernel, root);
        List<String> causes = new ArrayList<>();
        for (DkmsFailure build : failure.builds()) {
            causes.add(build.obstacle().message());
        }
        return causes.isEmpty()
                ? InstallationAdvice.NONE
                : new InstallationAdvice(
                        causes,
                        failure.wayOut(),
                        failure.next(),
                        !failure.unfinished().isEmpty());
    }

    private static List<String> packages(List<DkmsFailure> builds, Root root) {
        Map<String, String> files = new TreeMap<>();
        for (DkmsFailure build : builds) {
            files.put("/usr/src/" + build.label().replace('/', '-') + "/dkms.conf", build.label());
        }
        Set<String> names = new TreeSet<>();
        PackageOwners.of(files.keySet(), root).values().forEach(owner -> names.add(owner.replaceFirst(" .*", "")));
        return new ArrayList<>(names);
    }

    /**
     * Returns true if DKMS has installed the failed package for {@code release}, or for no kernel at all. The failure
     * is then no reason against booting {@code release}.
     */
    private static boolean isNoWorse(DkmsFailure failure, String release, DkmsTree dkms) {
        String name = failure.label().replaceFirst("/.*", "");
        return dkms.isInstalled(name, release)
                || dkms.builds().stream()
                        .noneMatch(build -> build.name().equals(name) && build.state() == DkmsState.INSTALLED);
    }

    private static String stay(String kernel, List<DkmsFailure> builds, DkmsTree dkms, Root root) {
        List<String> releases = new ArrayList<>(InstalledKernels.bootable(root));
        Collections.reverse(releases);
        String running = root.isHost() ? new RootText(root).runningKernel() : "";
        releases.sort((one, other) -> Boolean.compare(other.equals(running), one.equals(running)));
        for (String release : releases) {
            boolean isOlder = KernelReleaseOrder.INSTANCE.compare(release, kernel) < 0;
            if ((isOlder || release.equals(running) && !running.equals(kernel))
                    && UnfinishedInstallation.of(release, root).isEmpty()
                    && builds.stream().allMatch(one -> isNoWorse(one, release, dkms))) {
                return release;
            }
        }
        return "";
    }
}
