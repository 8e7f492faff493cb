package dev.weaklink.check;

import dev.weaklink.check.ModulesInUse.GoneModule;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.GateAnswer;
import dev.weaklink.check.result.GateAnswer.BootObstacle;
import dev.weaklink.check.result.GateAnswer.Ignored;
import dev.weaklink.check.result.GateAnswer.MissingModule;
import dev.weaklink.check.result.GateAnswer.MissingModule.AbsenceCause;
import dev.weaklink.check.result.GateReport;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.rules.Attributed;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.Rules.RuleUnit;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesReader.RuleProblem;
import dev.weaklink.rules.yaml.RulesReader.RulesResult;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.system.Dependants;
import dev.weaklink.system.ExtraModulesPackage;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.InstalledModules;
import dev.weaklink.system.InstalledModules.InstalledBuild;
import dev.weaklink.system.ListedModules;
import dev.weaklink.system.ModuleBuilds.ModuleBuild;
import dev.weaklink.system.ModuleSource;
import dev.weaklink.system.ModulesDirectory;
import dev.weaklink.system.OutOfTree;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Judges whether kernels can be booted with the out-of-tree modules in use. */
public final class Gate {
    private final Root root;
    private final CheckRequest request;
    private final boolean running;
    private final InstalledModules installed;
    private final ModulesInUse inUse;
    private final IgnoredModules leftAlone;
    private final Set<InputProblem> problems = new LinkedHashSet<>();

    private Gate(Root root, CheckRequest request, boolean running, List<GoneModule> removed) {
        this.root = root;
        this.request = request;
        this.running = running;
        installed = new InstalledModules(root);
        inUse = ModulesInUse.find(installed, root, running, removed);
        problems.addAll(inUse.problems());
        leftAlone = IgnoredModules.read(root, installed, inUse.names(), problems);
    }

    /**
     * Judges the modules in use on the requested kernels. On an installed kernel, weaklink judges the builds in the
     * kernel's own directory. If that directory has no build of a module, weaklink judges a build for another kernel.
     * On a kernel that is not installed, weaklink judges the newest builds.
     *
     * @param request the request, whose module arguments are not used; if it names no kernel, the newest installed
     *     kernel is judged, then older kernels until one is safe
     * @param removed modules whose links were removed, as far as known
     */
    public static GateReport judge(CheckRequest request, List<GoneModule> removed) {
        try {
            Root root = request.root() == null ? Root.HOST : Root.of(request.root());
            return judge(request, root, request.root() == null, removed);
        } catch (IOException e) {
            Path root = request.root() == null ? Root.HOST.top() : request.root();
            return new GateReport(List.of(), 0, true, List.of(new InputProblem(root.toString(), IoReason.of(e))));
        }
    }

    static GateReport judge(CheckRequest request, Root root, boolean running, List<GoneModule> removed)
            throws IOException {
        return new Gate(root, request, running, removed).report();
    }

    private GateReport report() throws IOException {
        List<String> kernels = kernels();
        List<GateAnswer> answers = new ArrayList<>();
        List<String> others = new ArrayList<>();
        Set<String> releases = new LinkedHashSet<>();
        for (String kernel : kernels) {
            String release = InstalledKernels.named(kernel, root, installed.kernels());
            if (release == null) {
                others.add(kernel);
            } else if (releases.add(release)) {
                answers.addAll(answers(List.of(kernel), release));
            }
        }
        if (!others.isEmpty() || releases.isEmpty()) {
            // Several of the other arguments may be packages of one kernel, so they are judged together.
            answers.addAll(answers(others, null));
        }
        int asked = answers.size();
        List<InputProblem> met = new ArrayList<>(problems);
        boolean onlyRequested = !request.kernels().isEmpty();
        if (!onlyRequested) {
            addOlder(kernels, answers);
        }
        return new GateReport(answers, asked, onlyRequested, met);
    }

    private void addOlder(List<String> newest, List<GateAnswer> answers) throws IOException {
        List<String> releases = installed.kernels();
        for (int i = releases.size() - 1; i >= 0 && !GateReport.isAnySafe(answers); i--) {
            String release = releases.get(i);
            if (!newest.contains(release) && InstalledKernels.canBeBooted(root, release)) {
                answers.addAll(answers(List.of(release), release));
            }
        }
    }

    private List<String> kernels() throws IOException {
        String newest = InstalledKernels.newest(root, installed.kernels());
        if (newest == null || !request.kernels().isEmpty()) {
            return request.kernels();
        }
        problems.addAll(InstalledKernels.passedOver(root, newest));
        return List.of(newest);
    }

    private List<GateAnswer> answers(List<String> kernels, @Nullable String release) throws IOException {
        InUseSelection selected = select(release);
        CheckRequest asked = request.with(List.of(), kernels);
        CheckReport report = Checker.check(asked, selected.modules(), Progress.NONE);
        List<String> notes = new ArrayList<>();
        if (release != null && excludeEachOther(report.verdicts(), release, notes)) {
            report = Checker.check(asked.notAllLoaded(), selected.modules(), Progress.NONE);
        }
        problems.addAll(report.problems());
        List<Verdict> verdicts = report.verdicts();
        List<GateAnswer> answers = new ArrayList<>();
        List<TargetSummary> targets = report.targets();
        int each = targets.isEmpty() ? 0 : verdicts.size() / targets.size();
        for (int i = 0; i < targets.size(); i++) {
            List<Verdict> on = verdicts.subList(i * each, (i + 1) * each);
            answers.add(answer(targets.get(i), on, selected, notes, obstacles(release, selected)));
        }
        return answers;
    }

    private List<BootObstacle> obstacles(@Nullable String release, InUseSelection selected) {
        if (release == null) {
            return List.of();
        }
        Set<String> names = new LinkedHashSet<>(inUse.names());
        selected.ignored().forEach(module -> names.remove(module.name()));
        int threads = request.reading().threads();
        return BootObstacles.of(release, root, installed, names, threads);
    }

    private InUseSelection select(@Nullable String release) throws IOException {
        List<ModuleSource> modules = new ArrayList<>();
        Map<String, InstalledBuild> lacking = new HashMap<>();
        Set<String> inPlace = new HashSet<>();
        Set<String> unused = new HashSet<>();
        boolean complete = inUse.complete();
        List<Ignored> ignored = new ArrayList<>();
        List<String> unlisted = release == null ? List.of() : ListedModules.missing(root, release);
        List<MissingModule> gone = release == null ? List.of() : gone(release, ignored);
        for (String name : inUse.names()) {
            String rule = leftAlone.rule(name, release);
            if (rule != null) {
                ignored.add(new Ignored(name, rule));
                continue;
            }
            InstalledBuild build = build(name, release);
            if (build == null) {
                complete = false;
                continue;
            }
            String file = root.inside(build.file().host());
            modules.add(new ModuleSource(build.file().host(), file, build.file().identity()));
            if (release != null
                    && isInPlace(build, release)
                    && !unlisted.contains(build.file().inside())) {
                inPlace.add(file);
                if (!installed.isChosen(build)) {
                    unused.add(file);
                }
            } else if (release != null) {
                lacking.put(file, build);
            }
        }
        return new InUseSelection(modules, lacking, gone, inPlace, unused, ignored, complete);
    }

    private List<MissingModule> gone(String release, List<Ignored> ignored) {
        List<MissingModule> gone = new ArrayList<>();
        for (GoneModule module : inUse.gone()) {
            String rule = leftAlone.rule(module.name(), release);
            InstalledBuild own = installed.chosen(module.name(), release);
            if (rule != null) {
                ignored.add(new Ignored(module.name(), rule));
            } else if (own == null || !own.kernel().equals(release)) {
                gone.add(new MissingModule(
                        module.name(), module.kernel(), Outcome.UNDETERMINED, AbsenceCause.GONE, module.detail()));
            }
        }
        return gone;
    }

    /**
     * Returns the build of a module to judge on a kernel: the out-of-tree build, else the file in the kernel's own
     * packages, such as ZFS on Ubuntu. Returns null if neither exists.
     *
     * @param release the kernel's release; null if the kernel is not installed, so that its own packages are unknown
     *     and a missing out-of-tree build is reported as a problem
     */
    private @Nullable InstalledBuild build(String name, @Nullable String release) {
        InstalledBuild build = installed.build(name, release);
        if (build == null && release != null) {
            return installed.chosen(name, release);
        }
        if (build == null) {
            problems.add(new InputProblem(
                    name,
                    "not checked: the module is part of the installed kernels' own packages, and the kernel to check"
                            + " is not installed"));
        }
        return build;
    }

    /**
     * Returns whether the build is in place on a kernel: the kernel's directory contains the build, and depmod chooses
     * the build. If depmod chooses no build of the module on any kernel, the directory alone decides.
     */
    private boolean isInPlace(InstalledBuild build, String release) {
        return build.kernel().equals(release)
                && (installed.isChosen(build)
                        || !installed.isChosenAnywhere(build.file().name()));
    }

    /**
     * Returns true if some of these modules export the same symbol, but this machine uses at most one module of each
     * such pair. The kernel would refuse only the module that is loaded second. Returns false if the modules in use are
     * unknown.
     *
     * @param notes receives notes about these pairs; empty if the result is false
     */
    private boolean excludeEachOther(List<Verdict> verdicts, String release, List<String> notes) throws IOException {
        ModulesDirectory directory = ModulesDirectory.find(root, release);
        Set<String> names = new HashSet<>();
        verdicts.forEach(verdict -> names.add(verdict.module().name()));
        for (Verdict verdict : verdicts) {
            for (Finding finding : verdict.findings()) {
                String first = finding.exporter();
                if (finding.kind() != FindingKind.EXPORT_DUPLICATE || first == null) {
                    continue;
                }
                String second = verdict.module().name();
                // An exporter that is not among these modules belongs to the kernel and counts as used. If the root is
                // not the running system, the modules in use are not known.
                boolean both = !running
                        || directory == null
                        || !names.contains(first)
                        || isUsed(first, directory) && isUsed(second, directory);
                if (both) {
                    notes.clear();
                    return false;
                }
                notes.add(first
                        + " and "
                        + second
                        + " both export "
                        + finding.symbol()
                        + ", so the kernel loads only one of them; this machine does not use both");
            }
        }
        return !notes.isEmpty();
    }

    /** Returns whether the module or one of its dependants is in use on this machine; true if unknown. */
    private boolean isUsed(String module, ModulesDirectory directory) {
        Set<String> needing = Dependants.of(directory, Set.of(module));
        if (needing == null) {
            return true;
        }
        Set<String> names = new LinkedHashSet<>(needing);
        names.add(module);
        return !UsedModules.among(names, root, directory.inside()).isEmpty();
    }

    private GateAnswer answer(
            TargetSummary target,
            List<Verdict> verdicts,
            InUseSelection selected,
            List<String> about,
            List<BootObstacle> obstacles) {
        List<MissingModule> missing = new ArrayList<>(selected.gone());
        Set<String> inPlace = new HashSet<>(selected.inPlace());
        List<String> notes = new ArrayList<>(target.causes());
        notes.addAll(about);
        notes.addAll(misplaced(verdicts, target));
        for (Verdict verdict : verdicts) {
            for (Finding finding : verdict.findings()) {
                if (finding.kind() == FindingKind.DEPENDENCY_ABSENT) {
                    notes.add(verdict.module().name() + " " + finding.detail());
                }
            }
            notes.addAll(missingExporters(verdict, target.release()));
            String file = verdict.module().origin().toString();
            InstalledBuild build = selected.lacking().get(file);
            if (build != null) {
                AbsenceCause cause = cause(build, String.valueOf(target.release()));
                String judged = builtFor(build, verdict, target);
                String detail =
                        cause == AbsenceCause.NOT_LISTED ? root.depmod(build.kernel()) : "weaklink plan" + root.words();
                missing.add(new MissingModule(build.file().name(), judged, verdict.outcome(), cause, detail));
            } else if (file.contains("/modules/" + target.release() + "/")) {
                inPlace.add(file);
            }
        }
        String nothing = null;
        if (selected.modules().isEmpty() && selected.gone().isEmpty() && selected.complete()) {
            nothing = selected.ignored().isEmpty()
                    ? "no out-of-tree modules found for " + String.join(", ", installed.kernels())
                    : "rules ignore all out-of-tree modules";
        }
        return new GateAnswer(
                target.explained(notes),
                verdicts,
                missing,
                inPlace,
                selected.unused(),
                selected.ignored(),
                nothing,
                selected.complete(),
                obstacles);
    }

    /**
     * Returns the kernel to report for a build: the kernel in the vermagic, else the kernel of the build's directory.
     * If the target is one of these two, returns the kernel of the directory.
     */
    private static String builtFor(InstalledBuild build, Verdict verdict, TargetSummary target) {
        String named = verdict.module().release();
        if (named == null || build.kernel().equals(target.release()) || named.equals(target.release())) {
            return build.kernel();
        }
        return named;
    }

    /**
     * Returns notes on refused files that are in this kernel's directory but were built for another kernel. Leaves out
     * files in {@code weak-updates}, which are links to builds for other kernels.
     */
    private static List<String> misplaced(List<Verdict> verdicts, TargetSummary target) {
        Map<String, List<String>> names = new TreeMap<>();
        String release = String.valueOf(target.release());
        for (Verdict verdict : verdicts) {
            String file = verdict.module().origin().toString();
            String named = verdict.module().release();
            if (verdict.outcome() == Outcome.INCOMPATIBLE
                    && named != null
                    && !named.equals(release)
                    && file.contains("/modules/" + release + "/")
                    && !file.contains("/" + WeakUpdates.NAME + "/")) {
                names.computeIfAbsent(named, any -> new ArrayList<>())
                        .add(verdict.module().name());
            }
        }
        List<String> notes = new ArrayList<>();
        names.forEach((builtFor, modules) -> notes.add(modules.get(0)
                + (modules.size() == 1 ? " is" : " and " + (modules.size() - 1) + " more are")
                + " installed for "
                + release
                + ", but built for "
                + builtFor
                + " (vermagic)"));
        return notes;
    }

    private List<String> missingExporters(Verdict verdict, @Nullable String release) {
        List<String> notes = new ArrayList<>();
        if (release == null) {
            return notes;
        }
        for (String exporter : verdict.missingExporters()) {
            InstalledBuild file = installed.chosen(exporter, release);
            if (file == null || !file.kernel().equals(release)) {
                String owner = ExtraModulesPackage.of(root, release);
                notes.add(verdict.module().name()
                        + " needs the in-tree module "
                        + exporter
                        + ", which is not installed for "
                        + release
                        + (owner.isEmpty() ? "" : "; install " + owner));
            }
        }
        return notes;
    }

    private AbsenceCause cause(InstalledBuild build, String release) {
        if (!build.kernel().equals(release)) {
            return OutOfTree.isLinkable(build.file().inside()) ? AbsenceCause.NOT_INSTALLED : AbsenceCause.NOT_LINKABLE;
        }
        return installed.isChosen(build) ? AbsenceCause.NOT_LISTED : AbsenceCause.NOT_CHOSEN;
    }

    /**
     * The modules to judge on a kernel.
     *
     * @param lacking builds to judge that are not in place on the kernel (see {@code isInPlace}) or not listed in
     *     modules.dep, by module file
     * @param gone modules that were in use and no longer have a build
     * @param inPlace module files that are in place on the kernel
     * @param unused module files in place that depmod chooses neither on this kernel nor on any other
     * @param ignored modules that rules ignore on the kernel
     * @param complete whether the selection covers all modules in use
     */
    private record InUseSelection(
            List<ModuleSource> modules,
            Map<String, InstalledBuild> lacking,
            List<MissingModule> gone,
            Set<String> inPlace,
            Set<String> unused,
            List<Ignored> ignored,
            boolean complete) {}

    /** The out-of-tree modules that the site's rules ignore ({@code ignore}). */
    public static final class IgnoredModules {
        private final Rules rules;
        private final Map<String, RuleUnit> units = new HashMap<>();

        private IgnoredModules(Rules rules) {
            this.rules = rules;
        }

        /**
         * Reads the rules. If any rule ignores modules, also finds the packages or directories of the named modules, by
         * which rules may select.
         *
         * @param problems receives problems with rule files and the rpm database
         */
        public static IgnoredModules read(
                Root root, InstalledModules installed, Collection<String> names, Collection<InputProblem> problems) {
            RulesResult result = RulesReader.read(root);
            if (result instanceof RulesResult.Bad bad) {
                for (RuleProblem problem : bad.problems()) {
                    problems.add(new InputProblem(problem.place(), problem.message()));
                }
            }
            IgnoredModules found =
                    new IgnoredModules(result instanceof RulesResult.Good good ? good.rules() : Rules.NONE);
            if (!found.rules.ignored().isEmpty()) {
                found.readUnits(root, installed, names, problems);
            }
            return found;
        }

        private void readUnits(
                Root root, InstalledModules installed, Collection<String> names, Collection<InputProblem> problems) {
            List<ModuleBuild> builds = new ArrayList<>();
            for (String name : names) {
                InstalledModules.InstalledBuild found = installed.build(name, null);
                ModuleBuild build = found == null ? null : installed.asBuild(found);
                if (build != null) {
                    builds.add(build);
                }
            }
            List<InputProblem> met = new ArrayList<>();
            List<RuleUnit> found = InstalledUnits.of(root, builds, met);
            problems.addAll(met);
            for (int i = 0; i < builds.size(); i++) {
                units.put(builds.get(i).name(), found.get(i));
            }
        }

        /**
         * Returns the rule that ignores a module.
         *
         * @param kernel a release; null if unknown, so that rules limited to certain kernels do not apply
         * @return the origin of the rule; null if no rule ignores the module
         */
        @Nullable
        public String rule(String name, @Nullable String kernel) {
            Attributed<Boolean> said = rules.isIgnored(name, units.get(name), kernel);
            return said.value() ? said.origin().toString() : null;
        }
    }
}
