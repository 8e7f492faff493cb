package dev.weaklink.check;

import dev.weaklink.check.SignatureCheck.GivenCertificates;
import dev.weaklink.check.SignatureCheck.SignatureInterest;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.format.btf.BtfValidity.BtfAnswer;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.LoadSet;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.sys.BackgroundTask;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.InstalledKernels;
import dev.weaklink.system.ModuleArguments;
import dev.weaklink.system.ModuleSource;
import dev.weaklink.system.cache.FactsCache;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Finds, reads and judges the modules and kernels of a request. */
public final class Checker {
    private Checker() {}

    /**
     * Judges every module on every target. Unreadable files become verdicts and problems of the report, never
     * exceptions. If no module or no kernel is found, a problem lists the searched directories and proposes arguments.
     */
    public static CheckReport check(CheckRequest request, Progress progress) {
        return check(request, null, progress);
    }

    /** Judges the modules in {@code found}, or those that the request names if {@code found} is null. */
    static CheckReport check(CheckRequest request, @Nullable List<ModuleSource> found, Progress progress) {
        List<InputProblem> problems = new ArrayList<>();
        Root root = root(request, problems);
        if (root == null) {
            return new CheckReport(List.of(), List.of(), problems);
        }
        GivenPackages packages = packages(request, progress);
        List<InputProblem> ofTargets = new ArrayList<>();
        List<InputProblem> ofCertificates = new ArrayList<>();
        List<EncodedCertificate> given = GivenCertificates.read(request.certificates(), ofCertificates);
        KeySearch search = new KeySearch(given, request.root() == null ? root : null);
        BackgroundTask<List<OpenTarget>> opening =
                BackgroundTask.start(() -> search.on(open(request, root, packages, ofTargets)));
        ModuleArguments arguments = found == null
                ? named(request, root, packages, problems)
                : new ModuleArguments(found, List.of(), List.of());
        problems.addAll(arguments.problems());
        progress.start(arguments.modules().size(), "modules");
        ModuleFacts reading =
                ModuleFacts.start(sources(arguments.modules()), request.reading(), search, progress::step);
        BackgroundTask<List<CauseSource.TargetCauses>> explaining =
                BackgroundTask.start(() -> causes(request, root, opening.get(), reading));
        reading.finish();
        List<OpenTarget> targets = opening.get();
        problems.addAll(ofTargets);
        problems.addAll(ofCertificates);
        List<Verdict> verdicts = new ArrayList<>();
        List<TargetSummary> summaries = new ArrayList<>();
        RuntimeSymbols runtime = RuntimeSymbols.of(reading);
        List<CauseSource.TargetCauses> explainers = explaining.get();
        for (OpenTarget target : targets) {
            SignatureCheck.Proofs proofs = SignatureCheck.run(search.keys(target), reading);
            List<Verdict> judged = new ArrayList<>();
            judge(root, target, reading, proofs, request, judged);
            runtime.note(target, judged);
            AbsentDependencies.note(target, judged);
            TargetSummary summary = target.summary().with(proofs.notes());
            summaries.add(
                    explainers.isEmpty()
                            ? summary
                            : explained(explainers.remove(0), summary, judged, single(request, arguments)));
            verdicts.addAll(judged);
        }
        finish(request, targets, reading, problems);
        progress.done();
        return new CheckReport(summaries, verdicts, arguments.judged(), distinct(problems));
    }

    private static ModuleArguments named(
            CheckRequest request, Root root, GivenPackages packages, List<InputProblem> problems) {
        return ModuleArguments.expand(
                request.modules(),
                request.stdin(),
                root,
                releases(request, root, problems),
                packages,
                request.reading().cache() != FactsCache.NONE);
    }

    /**
     * Returns the causes of each target if the request asks for them. Unpacking an image takes longer than checking
     * modules, so the first target's images are unpacked in the background from now on.
     *
     * @param modules the modules to judge; they may still be being read
     */
    private static List<CauseSource.TargetCauses> causes(
            CheckRequest request, Root root, List<OpenTarget> targets, ModuleFacts modules) {
        List<CauseSource.TargetCauses> causes = new ArrayList<>();
        if (request.explain()) {
            targets.forEach(target -> causes.add(request.reading().causesOn(root, request.store(), target)));
            causes.stream().findFirst().ifPresent(first -> first.readAhead(modules.builtFor()));
        }
        return causes;
    }

    private static @Nullable ModuleBatch single(CheckRequest request, ModuleArguments arguments) {
        return arguments.modules().size() == 1 ? ModuleBatch.read(arguments.modules(), request.reading()) : null;
    }

    private static TargetSummary explained(
            CauseSource.TargetCauses causes,
            TargetSummary summary,
            List<Verdict> verdicts,
            @Nullable ModuleBatch single) {
        List<Verdict> explained = causes.explain(verdicts);
        verdicts.clear();
        verdicts.addAll(explained);
        TargetSummary noted = summary.explained(causes.notes());
        return single == null ? noted : noted.with(causes.use(single));
    }

    private static GivenPackages packages(CheckRequest request, Progress progress) {
        List<String> given = new ArrayList<>(request.modules());
        given.addAll(request.kernels());
        GivenPackages packages = request.reading().packages();
        packages.readAll(given, progress);
        return packages;
    }

    private static List<InputProblem> distinct(List<InputProblem> problems) {
        return new ArrayList<>(new LinkedHashSet<>(problems));
    }

    private static void finish(
            CheckRequest request, List<OpenTarget> targets, ModuleFacts reading, List<InputProblem> problems) {
        targets.forEach(target -> addFailures(target, problems));
        keep(targets, request, problems);
        addFailures(reading, problems);
    }

    private static void keep(List<OpenTarget> targets, CheckRequest request, List<InputProblem> problems) {
        if (request.store() != null) {
            FactsCache cache = request.reading().cache();
            new KernelKeeper(new KernelStore(request.store()), cache).keepAll(targets, problems);
        }
    }

    private static @Nullable Root root(CheckRequest request, List<InputProblem> problems) {
        if (request.root() == null) {
            return Root.HOST;
        }
        try {
            return Root.of(request.root());
        } catch (IOException e) {
            problems.add(new InputProblem("--root", String.valueOf(e.getMessage())));
            return null;
        }
    }

    /**
     * Returns the kernels below which bare module names are looked up: the requested kernels that are installed, or the
     * newest kernel.
     */
    private static List<String> releases(CheckRequest request, Root root, List<InputProblem> problems) {
        try {
            List<String> installed = InstalledKernels.list(root);
            List<String> asked = new ArrayList<>();
            for (String kernel : request.kernels()) {
                String release = InstalledKernels.named(kernel, root, installed);
                if (release != null) {
                    asked.add(release);
                }
            }
            String newest = InstalledKernels.newest(root, installed);
            return asked.isEmpty() && newest != null ? List.of(newest) : asked;
        } catch (IOException e) {
            problems.add(new InputProblem(root.top().toString(), "its kernels cannot be listed: " + e.getMessage()));
            return List.of();
        }
    }

    /** Returns the facts of these modules, without those that cannot be read. */
    public static List<KernelModule> facts(List<ModuleSource> modules, ReadOptions reading) {
        ModuleFacts facts = ModuleFacts.read(sources(modules), reading);
        List<KernelModule> readable = new ArrayList<>();
        for (int i = 0; i < facts.size(); i++) {
            KernelModule module = facts.module(i);
            if (module != null) {
                readable.add(module);
            }
        }
        return readable;
    }

    static ModuleFacts.ModuleInput[] sources(List<ModuleSource> modules) {
        ModuleFacts.ModuleInput[] sources = new ModuleFacts.ModuleInput[modules.size()];
        for (int i = 0; i < sources.length; i++) {
            sources[i] = source(modules.get(i));
        }
        return sources;
    }

    private static ModuleFacts.ModuleInput source(ModuleSource module) {
        return new ModuleFacts.ModuleInput(module.host(), module.origin(), module.identity(), module.packaged());
    }

    static List<OpenTarget> open(CheckRequest request, Root root, GivenPackages packages, List<InputProblem> problems) {
        MachinePolicy machine = request.root() == null ? MachinePolicy.read(root) : null;
        List<OpenTarget> targets = new ArrayList<>();
        for (KernelReading files : KernelReading.find(root, request.store(), request.kernels(), packages, problems)) {
            OpenTarget target = files.open(request.loader(), request.reading(), problems);
            if (target != null) {
                targets.add(machine == null ? target : target.on(machine));
            }
        }
        return targets;
    }

    /** Adds a verdict for each file on one target, in the order of the files; unreadable files get one too. */
    static void judge(
            Root root,
            OpenTarget target,
            ModuleFacts reading,
            SignatureCheck.Proofs proofs,
            CheckRequest request,
            List<Verdict> verdicts) {
        BtfAnswer[] types = new BtfAnswer[reading.size()];
        Arrays.fill(types, BtfAnswer.UNCLEAR);
        List<Verdict> judged = judgeReadable(target, reading, proofs, types, request);
        if (!LateExamination.run(target, reading, types, judged)) {
            judged = judgeReadable(target, reading, proofs, types, request);
        }
        if (!request.alone()) {
            List<Path> files = new ArrayList<>();
            for (int i = 0; i < reading.size(); i++) {
                if (reading.failure(i) == null) {
                    files.add(reading.source(i).file());
                }
            }
            judged = Replacements.judged(
                    root, target, files, judged, request.reading().threads());
        }
        int next = 0;
        for (int i = 0; i < reading.size(); i++) {
            String failure = reading.failure(i);
            verdicts.add(
                    failure == null
                            ? judged.get(next++)
                            : unreadable(reading.source(i).origin(), failure, target));
        }
    }

    /**
     * Returns the verdicts on the readable modules.
     *
     * @param types the known results of the BTF check of each module
     */
    static List<Verdict> judgeReadable(
            OpenTarget target,
            ModuleFacts reading,
            SignatureCheck.Proofs proofs,
            BtfAnswer[] types,
            CheckRequest request) {
        List<KernelModule> modules = new ArrayList<>(reading.size());
        Set<String> unreadable = new HashSet<>();
        for (int i = 0; i < reading.size(); i++) {
            KernelModule module = reading.module(i);
            if (module != null) {
                KernelModule proven = proofs.applied(i, module);
                modules.add(types[i].isObjection() ? proven.with(types[i]) : proven);
            } else {
                unreadable.add(reading.source(i).origin().moduleName());
            }
        }
        return Judge.judge(target, modules, unreadable, request);
    }

    private static Verdict unreadable(Origin origin, String failure, OpenTarget target) {
        Finding finding = new Finding(
                FindingKind.INPUT_UNREADABLE, Finding.Effect.UNPROVEN, null, null, null, null, null, null, failure);
        return new Verdict(
                KernelModule.unread(origin),
                target.kernel().label(),
                Outcome.UNDETERMINED,
                null,
                List.of(finding),
                List.of(),
                List.of(),
                List.of());
    }

    private static void addFailures(OpenTarget target, List<InputProblem> problems) {
        InTreeModules inTreeModules = target.inTreeModules();
        if (inTreeModules != null) {
            inTreeModules
                    .failures()
                    .forEach((file, why) ->
                            problems.add(new InputProblem(file, why + "; what it exports is not known")));
        }
    }

    static void addFailures(ModuleFacts reading, List<InputProblem> problems) {
        for (int i = 0; i < reading.size(); i++) {
            String failure = reading.failure(i);
            if (failure != null) {
                problems.add(new InputProblem(reading.source(i).origin().toString(), failure));
            }
        }
    }

    /** The checks of relocations and BTF, which run only on modules without any other objection. */
    private static final class LateExamination {
        private LateExamination() {}

        /**
         * Checks the relocations, and the BTF if the kernel parses it, of modules that pass all other checks, as the
         * loader does last.
         *
         * @param types receives the result of each BTF check
         * @param judged the verdicts on the readable modules, which this method completes
         * @return false if a module fails one of these checks, so that all modules must be judged again
         */
        static boolean run(OpenTarget target, ModuleFacts reading, BtfAnswer[] types, List<Verdict> judged) {
            BitSet passing = new BitSet();
            BitSet typed = new BitSet();
            int next = 0;
            for (int i = 0; i < reading.size(); i++) {
                if (reading.failure(i) == null) {
                    Verdict verdict = judged.get(next++);
                    passing.set(i, isUnexamined(verdict, target));
                    typed.set(i, verdict.errno() == null && verdict.unchecked().contains(Layer.BTF.id()));
                }
            }
            InTreeModules inTreeModules = typed.isEmpty() ? null : target.inTreeModules();
            int firstString = inTreeModules == null ? -1 : inTreeModules.firstString();
            reading.examine(passing, typed, firstString);
            boolean inOrder = true;
            next = 0;
            for (int i = 0; i < reading.size(); i++) {
                KernelModule module = reading.module(i);
                if (module == null) {
                    continue;
                }
                if (typed.get(i)) {
                    types[i] = reading.types(i, firstString);
                    inOrder &= !types[i].isObjection();
                }
                if (passing.get(i) && module.relocations().examined()) {
                    inOrder &= LoadSet.acceptsRelocations(target.kernel(), module.relocations());
                    judged.set(next, judged.get(next).withRelocationsInOrder(module));
                }
                next++;
            }
            return inOrder;
        }

        private static boolean isUnexamined(Verdict verdict, OpenTarget target) {
            return verdict.errno() == null
                    && !verdict.module().relocations().examined()
                    && LoadSet.looksAtRelocations(target.kernel());
        }
    }

    /**
     * A filter for the modules whose signature matters on any target, called while modules are being read. The first
     * such module starts the search for the target's keys, which has to unpack the image. While the targets are not
     * open yet, every module matches: digesting too many modules is cheaper than unpacking some of them twice.
     */
    private static final class KeySearch implements Predicate<KernelModule> {
        private final List<EncodedCertificate> given;
        private final @Nullable Root machine;
        private final AtomicBoolean begun = new AtomicBoolean();
        private volatile @Nullable List<Interest> open;

        private record Interest(TrustedKeys keys, SignatureInterest modules) {}

        KeySearch(List<EncodedCertificate> given, @Nullable Root machine) {
            this.given = given;
            this.machine = machine;
        }

        List<OpenTarget> on(List<OpenTarget> targets) {
            List<Interest> interests = new ArrayList<>();
            for (OpenTarget target : targets) {
                interests.add(
                        new Interest(target.keys(given, machine), SignatureInterest.of(target, !given.isEmpty())));
            }
            open = interests;
            return targets;
        }

        @Override
        public boolean test(KernelModule module) {
            List<Interest> targets = open;
            boolean matters = targets == null;
            for (int i = 0; targets != null && i < targets.size(); i++) {
                matters |= targets.get(i).modules().test(module);
            }
            // Several kernels' images would be in memory at once, so only a single target starts early.
            if (matters && targets != null && targets.size() == 1 && begun.compareAndSet(false, true)) {
                BackgroundTask.start(targets.get(0).keys()::ring);
            }
            return matters;
        }

        TrustedKeys keys(OpenTarget target) {
            for (Interest interest : open == null ? List.<Interest>of() : open) {
                if (interest.keys().target() == target) {
                    return interest.keys();
                }
            }
            throw new IllegalArgumentException(target.kernel().label());
        }
    }

    /**
     * Notes about modules named in {@code depends} that do not exist, for modules refused because of missing symbols.
     */
    private static final class AbsentDependencies {
        private AbsentDependencies() {}

        /**
         * Adds the notes.
         *
         * @param judged a verdict for every file
         */
        static void note(OpenTarget target, List<Verdict> judged) {
            InTreeModules inTreeModules = target.inTreeModules();
            if (inTreeModules == null || !inTreeModules.hasInTree()) {
                return;
            }
            Set<String> given = new HashSet<>();
            for (Verdict verdict : judged) {
                KernelModule module = verdict.module();
                if (module.elf() != null) {
                    given.add(module.name());
                }
            }
            for (int i = 0; i < judged.size(); i++) {
                Verdict verdict = judged.get(i);
                List<Finding> notes = new ArrayList<>();
                for (String depends : depends(verdict)) {
                    String name = Origin.moduleName(depends);
                    boolean there = inTreeModules.has(name) || given.contains(name);
                    if (!there && !target.kernel().image().isTaken(name)) {
                        notes.add(absent(name));
                    }
                }
                if (!notes.isEmpty()) {
                    judged.set(i, verdict.with(notes));
                }
            }
        }

        private static List<String> depends(Verdict verdict) {
            if (verdict.outcome() == Outcome.INCOMPATIBLE) {
                for (Finding finding : verdict.findings()) {
                    if (finding.kind() == FindingKind.SYMBOL_MISSING) {
                        boolean known = verdict.module().modInfo().knows("depends");
                        return known ? verdict.module().modInfo().depends() : List.of();
                    }
                }
            }
            return List.of();
        }

        private static Finding absent(String name) {
            String detail = "depends on the module " + name + ", which the kernel does not have";
            return Finding.note(FindingKind.DEPENDENCY_ABSENT, null, name, detail + "; check both");
        }
    }

    /**
     * Notes about symbols that a module looks up at run time ({@code symbol_get}) and that the kernel does not export.
     * The module loads, and does without the symbol.
     */
    static final class RuntimeSymbols {
        private final List<List<String>> wanted = new ArrayList<>();
        private final Set<String> exported = new HashSet<>();

        private RuntimeSymbols() {}

        static RuntimeSymbols of(ModuleFacts reading) {
            RuntimeSymbols symbols = new RuntimeSymbols();
            boolean isAny = false;
            for (int i = 0; i < reading.size(); i++) {
                List<String> names = reading.runtime(i).symbols();
                symbols.wanted.add(names);
                isAny |= !names.isEmpty();
            }
            for (int i = 0; isAny && i < reading.size(); i++) {
                KernelModule module = reading.module(i);
                if (module != null) {
                    symbols.export(module);
                }
            }
            return symbols;
        }

        private void export(KernelModule module) {
            for (int i = 0; i < module.exports().names().size(); i++) {
                exported.add(module.exports().names().name(i));
            }
        }

        /**
         * Adds the notes.
         *
         * @param judged a verdict for every file, in the order of the files
         */
        void note(OpenTarget target, List<Verdict> judged) {
            for (int i = 0; i < wanted.size() && target.kernel().exportsComplete(); i++) {
                List<Finding> notes = new ArrayList<>();
                for (String symbol : wanted.get(i)) {
                    if (!exported.contains(symbol) && !isExported(symbol, target)) {
                        notes.add(missing(symbol));
                    }
                }
                if (!notes.isEmpty()) {
                    judged.set(i, judged.get(i).with(notes));
                }
            }
        }

        private static boolean isExported(String symbol, OpenTarget target) {
            if (target.kernel().exports().find(symbol) >= 0) {
                return true;
            }
            InTreeModules inTreeModules = target.inTreeModules();
            for (KernelModule module : inTreeModules == null ? List.<KernelModule>of() : inTreeModules.outOfTree()) {
                if (module.exports().names().indexOf(symbol) >= 0) {
                    return true;
                }
            }
            return false;
        }

        private static Finding missing(String symbol) {
            return Finding.note(
                    FindingKind.SYMBOL_GET,
                    symbol,
                    null,
                    "asks for it when it runs (symbol_get); neither the kernel nor a module exports it");
        }
    }
}
