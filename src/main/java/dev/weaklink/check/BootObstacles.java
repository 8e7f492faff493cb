package dev.weaklink.check;

import dev.weaklink.check.CheckedImage.CheckedModule;
import dev.weaklink.check.result.GateAnswer.BootObstacle;
import dev.weaklink.check.result.GateAnswer.BootObstacle.BootPart;
import dev.weaklink.check.result.GateAnswer.Word;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.InstalledModules;
import dev.weaklink.system.initramfs.InitramfsImage;
import dev.weaklink.system.initramfs.UnfinishedInstallation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds obstacles to booting an installed kernel, apart from its installed modules: an unfinished package installation,
 * or an initramfs that is unreadable, contains refused modules or lacks modules.
 */
final class BootObstacles {
    private final Root root;
    private final String release;
    private final InstalledModules installed;
    private final List<BootObstacle> obstacles = new ArrayList<>();

    private BootObstacles(Root root, String release, InstalledModules installed) {
        this.root = root;
        this.release = release;
        this.installed = installed;
    }

    static List<BootObstacle> of(
            String release, Root root, InstalledModules installed, Collection<String> inUse, int threads) {
        BootObstacles found = new BootObstacles(root, release, installed);
        for (UnfinishedInstallation sign : UnfinishedInstallation.of(release, root)) {
            found.obstacles.add(new BootObstacle(BootPart.PACKAGES, Word.NO, sign.reason(), sign.next()));
        }
        try {
            found.readImages(inUse, threads);
        } catch (IOException e) {
            found.obstacles.add(new BootObstacle(
                    BootPart.INITRAMFS,
                    Word.UNKNOWN,
                    "the kernel's initramfs cannot be read (" + IoReason.of(e) + ")",
                    ""));
        }
        return found.obstacles;
    }

    private void readImages(Collection<String> inUse, int threads) throws IOException {
        List<InputProblem> problems = new ArrayList<>();
        List<CheckedImage> images = InitramfsChecker.installed(root, release, threads, problems);
        for (InputProblem problem : problems) {
            if (problem.subject().equals("/boot")) {
                obstacles.add(new BootObstacle(
                        BootPart.INITRAMFS,
                        Word.UNKNOWN,
                        "the kernel's initramfs cannot be read (/boot: " + problem.message() + ")",
                        "run the command as root"));
            }
        }
        Set<String> packed = new TreeSet<>();
        for (CheckedImage image : images) {
            image.modules().forEach(module -> packed.add(module.name()));
            addRefused(image, inUse);
        }
        boolean areRead = images.stream().allMatch(image -> image.failure() == null);
        if (!images.isEmpty() && areRead) {
            addLacking(packed, inUse, images.get(0));
        }
    }

    private void addRefused(CheckedImage image, Collection<String> inUse) {
        if (image.failure() != null) {
            obstacles.add(new BootObstacle(
                    BootPart.INITRAMFS,
                    Word.UNKNOWN,
                    "the kernel's initramfs " + image.path() + " cannot be read (" + image.failure() + ")",
                    ""));
        }
        Set<String> refused = new TreeSet<>();
        Verdict first = null;
        for (CheckedModule module : image.modules()) {
            boolean matters = module.state().isOutOfDate() || inUse.contains(module.name());
            Verdict verdict = module.verdict();
            if (module.isRefused() && matters && verdict != null && refused.add(module.name()) && first == null) {
                first = verdict;
            }
        }
        if (first != null) {
            obstacles.add(new BootObstacle(
                    BootPart.INITRAMFS,
                    Word.NO,
                    "the kernel's initramfs " + image.path() + " contains builds that the kernel would refuse: "
                            + String.join(", ", refused) + " ("
                            + (refused.size() > 1 ? first.module().name() + ": " : "") + VerdictReason.of(first) + ")",
                    image.renewal().words()));
        }
    }

    /**
     * Adds an obstacle if installed modules in use are missing from this kernel's images, but packed into the initramfs
     * of the kernel from {@link #before}. Booting may need these modules.
     */
    private void addLacking(Set<String> packed, Collection<String> inUse, CheckedImage image) throws IOException {
        Set<String> candidates = new TreeSet<>(inUse);
        candidates.removeAll(packed);
        candidates.removeIf(name -> installed.chosen(name, release) == null);
        String before = candidates.isEmpty() ? null : before();
        if (before == null) {
            return;
        }
        candidates.retainAll(InitramfsImage.moduleNames(root, before));
        if (!candidates.isEmpty()) {
            obstacles.add(new BootObstacle(
                    BootPart.INITRAMFS,
                    Word.NO,
                    "the kernel's initramfs " + image.path() + " lacks " + String.join(", ", candidates)
                            + ", which the initramfs of " + before + " contains",
                    image.renewal().words()));
        }
    }

    /**
     * Returns the kernel whose initramfs is compared with this kernel's images: the running kernel, which is known to
     * boot, else the newest older kernel that can be booted. Returns null if the checked kernel is running, or if no
     * installed kernel qualifies.
     */
    private @Nullable String before() throws IOException {
        String running = root.isHost() ? new RootText(root).runningKernel() : "";
        if (running.equals(release)) {
            return null;
        }
        String before = null;
        for (String other : installed.kernels()) {
            boolean isOlder = KernelReleaseOrder.INSTANCE.compare(other, release) < 0;
            if (other.equals(running)) {
                return other;
            }
            before = isOlder && InstalledKernels.canBeBooted(root, other) ? other : before;
        }
        return before;
    }
}
