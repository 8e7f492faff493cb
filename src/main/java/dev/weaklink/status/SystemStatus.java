package dev.weaklink.status;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.CheckedImage;
import dev.weaklink.check.Gate;
import dev.weaklink.check.InitramfsChecker;
import dev.weaklink.check.result.ExitCode;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateAnswer.BootObstacle.BootPart;
import dev.weaklink.check.result.GateAnswer.Word;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.hold.KeptHold;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.links.LinkDefects;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.RemovedLinks;
import dev.weaklink.rebuild.ReloadForecast;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.run.KeptTrials;
import dev.weaklink.rebuild.run.ReloadProbe;
import dev.weaklink.rebuild.run.ReloadProbe.Seen;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.initramfs.UnfinishedInstallation;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The status of a system.
 *
 * @param links the audit of the weak-updates links; null if only images were checked
 * @param safety the answer of {@code weaklink check} about the newest or the requested kernels; null if there is no
 *     kernel, or if only images were checked
 * @param builds the builds that keep other modules from loading, and the module files for which modules.dep is out of
 *     date
 * @param loaded the comparison of the loaded modules with the installed modules; null if only images were checked, if
 *     the system is not running, or if the modules are not known
 * @param images the named initramfs images, or the images of the requested kernels or of the newest kernel
 * @param held the kernels that weaklink makes the package manager hold
 * @param trials the valid results of trial builds
 * @param problems the problems, such as unreadable inputs, including those in {@code unfinished}
 * @param unfinished the problems of unfinished installations; the subject of each is the kernel's release
 */
public record SystemStatus(
        @Nullable LinkDefects links,
        @Nullable GateReport safety,
        List<InputProblem> builds,
        @Nullable Seen loaded,
        List<CheckedImage> images,
        List<KeptHold.ReportedKernel> held,
        List<Trial> trials,
        List<InputProblem> problems,
        Set<InputProblem> unfinished) {
    public SystemStatus {
        builds = List.copyOf(builds);
        images = List.copyOf(images);
        held = List.copyOf(held);
        trials = List.copyOf(trials);
        problems = List.copyOf(new LinkedHashSet<>(problems));
        unfinished = Set.copyOf(unfinished);
    }

    public static SystemStatus of(PlanRequest request) throws IOException {
        LinkDefects links = new LinkManager().audit(request);
        Root root = links.root();
        List<InputProblem> problems = new ArrayList<>(links.problems());
        problems.addAll(links.listed());
        Seen loaded = loaded(root, request, problems);
        List<CheckedImage> images = new ArrayList<>();
        Set<InputProblem> unfinished = new LinkedHashSet<>();
        List<String> kernels = kernels(root, request);
        for (String kernel : kernels) {
            images.addAll(InitramfsChecker.installed(root, kernel, threads(request), problems));
            UnfinishedInstallation.lines(kernel, root).forEach(sign -> unfinished.add(new InputProblem(kernel, sign)));
        }
        problems.addAll(unfinished);
        List<InputProblem> builds = new LinkManager().defectiveBuilds(request);
        GateReport safety = kernels.isEmpty() ? null : safety(kernels, request, problems);
        return new SystemStatus(
                links, safety, builds, loaded, images, KeptHold.read(root).held(), trials(root), problems, unfinished);
    }

    /** Returns the problems without the unfinished installations that {@link #safety} already reports. */
    public List<InputProblem> problemsBesidesSafety() {
        List<InputProblem> others = new ArrayList<>(problems);
        if (safety != null) {
            for (GateAnswer answer : safety.asked()) {
                String release = String.valueOf(answer.target().release());
                boolean isNamed = answer.obstacles().stream().anyMatch(one -> one.part() == BootPart.PACKAGES);
                others.removeIf(problem -> isNamed
                        && unfinished.contains(problem)
                        && problem.subject().equals(release));
            }
        }
        return others;
    }

    private static GateReport safety(List<String> kernels, PlanRequest request, List<InputProblem> problems)
            throws IOException {
        Map<LoaderRule, String> loader = request.signaturePolicy() == null
                ? Map.of()
                : Map.of(LoaderRule.SIGNATURE_POLICY, request.signaturePolicy());
        CheckRequest asked = new CheckRequest(
                request.root(),
                List.of(),
                kernels,
                null,
                false,
                loader,
                request.certificates(),
                request.reading(),
                InputStream.nullInputStream());
        return Gate.judge(asked, RemovedLinks.of(Root.of(request.root()), problems));
    }

    /**
     * Checks initramfs images only.
     *
     * @param request the request, which may name the images' kernel; the default is the newest kernel
     * @throws IOException if no image can be checked, such as without an installed kernel
     */
    public static SystemStatus of(List<String> images, PlanRequest request) throws IOException {
        Root root = Root.of(request.root());
        List<String> kernels = request.kernels().isEmpty() ? kernels(root, request) : request.kernels();
        if (kernels.isEmpty()) {
            throw new FileNotFoundException(
                    root + ": contains no installed kernel; give the root directory of a system with --root");
        }
        List<InputProblem> problems = new ArrayList<>();
        List<CheckedImage> checked = InitramfsChecker.given(images, root, kernels.get(0), threads(request), problems);
        return new SystemStatus(null, null, List.of(), null, checked, List.of(), List.of(), problems, Set.of());
    }

    /**
     * Returns the valid results of trial builds on the running system. Results below another root are not read, because
     * symlinks may lead out of that root.
     */
    private static List<Trial> trials(Root root) throws IOException {
        return root.isHost() ? new KeptTrials(root).valid() : List.of();
    }

    private static int threads(PlanRequest request) {
        return request.reading().threads();
    }

    private static List<String> kernels(Root root, PlanRequest request) throws IOException {
        List<String> installed = InstalledKernels.list(root);
        if (!request.kernels().isEmpty()) {
            installed.retainAll(request.kernels());
            return installed;
        }
        String newest = InstalledKernels.newest(root, installed);
        return newest == null ? List.of() : List.of(newest);
    }

    private static @Nullable Seen loaded(Root root, PlanRequest request, List<InputProblem> problems) {
        if (!new RootText(root).isFile(RootText.OSRELEASE)) {
            return null;
        }
        try {
            return ReloadProbe.look(root, threads(request));
        } catch (IOException e) {
            problems.add(new InputProblem("loaded modules", IoReason.of(e)));
            return null;
        }
    }

    public ExitCode exitCode() {
        ExitCode ofLinks = links == null ? ExitCode.COMPATIBLE : links.exitCode();
        ReloadForecast forecast = loaded == null ? null : loaded.forecast();
        boolean outdated = forecast != null
                && (forecast.isOutdated() || !forecast.foreign().isEmpty());
        boolean unknown = ofLinks == ExitCode.UNDETERMINED
                || ofLinks == ExitCode.UNUSABLE
                || !problems.isEmpty()
                || forecast != null && !forecast.unproven().isEmpty();
        int read = 0;
        for (CheckedImage image : images) {
            outdated |= image.isToBeRenewed();
            unknown |= image.isUnknown();
            read += image.failure() == null ? 1 : 0;
        }
        Word word = safety == null ? Word.YES : safety.word();
        unknown |= word == Word.UNKNOWN;
        if (ofLinks == ExitCode.INCOMPATIBLE || outdated || word == Word.NO || !builds.isEmpty()) {
            return ExitCode.INCOMPATIBLE;
        }
        if (read == 0 && (links == null || ofLinks == ExitCode.UNUSABLE)) {
            return ExitCode.UNUSABLE;
        }
        return unknown ? ExitCode.UNDETERMINED : ExitCode.COMPATIBLE;
    }
}
