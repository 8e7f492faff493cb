package dev.weaklink.fleet.judge;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.CheckTarget;
import dev.weaklink.check.FoundKernel;
import dev.weaklink.check.ModulesByDigest;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.SetSignatures;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.AuditReportBuilder.TargetAnswers;
import dev.weaklink.fleet.ModuleSet;
import dev.weaklink.fleet.ReportedModule;
import dev.weaklink.fleet.SetResult;
import dev.weaklink.fleet.intake.ModuleTables;
import dev.weaklink.fleet.intake.ModuleTables.ReportedTable;
import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.Workers;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.TargetKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Judges the nodes' module sets on kernels. Module sets with equal facts are judged once on each kernel. */
public final class AuditJudge {
    private final AuditRequest request;
    private final Root root;
    private final List<ModuleSet> groups;
    private final List<SetFacts> sets;
    private final SetSignatures signatures;
    private final Progress progress;
    private final GivenPackages packages;

    private AuditJudge(
            AuditRequest request,
            Root root,
            List<ModuleSet> groups,
            List<SetFacts> sets,
            SetSignatures signatures,
            Progress progress) {
        this.progress = progress;
        this.signatures = signatures;
        this.request = request;
        this.root = root;
        this.groups = groups;
        this.sets = sets;
        this.packages = request.reading().packages();
    }

    public static List<TargetAnswers> judge(
            AuditRequest request,
            List<ModuleSet> sets,
            ModuleTables tables,
            List<InputProblem> problems,
            Progress progress) {
        Root root;
        try {
            root = request.root() == null ? Root.HOST : Root.of(request.root());
        } catch (IOException e) {
            problems.add(new InputProblem("--root", String.valueOf(e.getMessage())));
            return List.of();
        }
        ModulesByDigest files = ModulesByDigest.find(request.modules(), digests(sets), request.reading(), problems);
        SetFactsFinder finder = new SetFactsFinder(files, tables);
        List<SetFacts> facts = sets.stream().map(set -> finder.of(set)).toList();
        SetSignatures signatures = files.signatures(request.certificates());
        return new AuditJudge(request, root, sets, facts, signatures, progress).judgeAll(problems);
    }

    private static Set<String> digests(List<ModuleSet> sets) {
        Set<String> digests = new HashSet<>();
        for (ModuleSet set : sets) {
            for (Module module : set.modules()) {
                if (module.digest() != null) {
                    digests.add(module.digest());
                }
            }
        }
        return digests;
    }

    private List<TargetAnswers> judgeAll(List<InputProblem> problems) {
        List<List<String>> groups = groups(request.kernels());
        packages.readAll(request.kernels(), progress);
        progress.start(request.kernels().size(), "kernels");
        int threads = Math.min(groups.size(), request.reading().threads());
        List<List<TargetAnswers>> answers = new ArrayList<>();
        List<List<InputProblem>> met = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            answers.add(new ArrayList<>());
            met.add(new ArrayList<>());
        }
        Workers.start(groups.size(), threads, Workers.all(i -> judge(groups.get(i), answers.get(i), met.get(i))))
                .finish();
        List<TargetAnswers> all = new ArrayList<>();
        answers.forEach(all::addAll);
        // Two kernels below one root directory may report the same problem of a file.
        Set<InputProblem> distinct = new LinkedHashSet<>();
        met.forEach(distinct::addAll);
        problems.addAll(distinct);
        return all;
    }

    /**
     * Returns a group for each kernel argument, but a single group for all packages, because several packages may
     * belong to one kernel.
     */
    public static List<List<String>> groups(List<String> kernels) {
        List<List<String>> groups = new ArrayList<>();
        List<String> packages = new ArrayList<>();
        for (String kernel : new LinkedHashSet<>(kernels)) {
            if (!isPackage(kernel)) {
                groups.add(List.of(kernel));
            } else if (packages.isEmpty()) {
                groups.add(packages);
                packages.add(kernel);
            } else {
                packages.add(kernel);
            }
        }
        return groups;
    }

    private static boolean isPackage(String kernel) {
        try {
            Path file = Path.of(kernel);
            return !kernel.isEmpty() && Files.isRegularFile(file) && PackageReader.isPackage(file);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    private void judge(List<String> kernels, List<TargetAnswers> answers, List<InputProblem> problems) {
        ReadOptions reading = request.reading().with(innerThreads());
        List<FoundKernel> found = FoundKernel.find(root, request.store(), kernels, packages, problems);
        for (int i = 0; i < found.size(); i++) {
            CheckTarget target = found.get(i).open(request.loader(), reading, problems);
            if (target != null) {
                answers.add(ask(target));
            }
            progress.step(1);
        }
    }

    private int innerThreads() {
        int threads = request.reading().threads();
        return request.kernels().size() >= threads ? 1 : threads;
    }

    private TargetAnswers ask(CheckTarget target) {
        CauseSource.TargetCauses explainer =
                request.explain() ? request.reading().causesOn(root, request.store(), target) : null;
        PolicyJudge judge = new PolicyJudge(target, signatures, innerThreads(), explainer);
        Map<SetFacts, SetResult> byFacts = new IdentityHashMap<>();
        Map<Integer, SetResult> answers = new TreeMap<>();
        for (int set = 0; set < sets.size(); set++) {
            SetFacts facts = sets.get(set);
            boolean empty = facts.known().isEmpty() && facts.unknown().isEmpty();
            if (!empty && canBeOn(groups.get(set), target.kernel().release())) {
                SetResult answer = byFacts.get(facts);
                if (answer == null) {
                    answer = judge.ask(facts);
                    byFacts.put(facts, answer);
                }
                answers.put(set, answer);
            }
        }
        TargetKernel asked = target.kernel();
        return new TargetAnswers(
                Target.of(
                        asked.label(),
                        asked.release(),
                        asked.vermagic(),
                        source(target.kind()),
                        explainer == null ? List.of() : explainer.notes()),
                answers);
    }

    /**
     * Returns whether a set can exist on a kernel. A {@link ModuleSet#isJoined combined} set can exist only on its own
     * kernel, because it contains that kernel's modules.
     */
    private static boolean canBeOn(ModuleSet set, @Nullable String release) {
        return set.kernel().equals(release) || !set.isJoined();
    }

    private static String source(TargetKind kind) {
        return switch (kind) {
            case INSTALLED_KERNEL -> "installed";
            case PACKAGE -> "package";
            case KERNEL_IMAGE -> "image";
            case STORED_KERNEL -> "store";
            case SYMVERS_FILE, HEADERS_DIRECTORY -> "symvers";
        };
    }

    /** Finds the facts about module sets. Sets with equal facts share one object, even if their files differ. */
    private static final class SetFactsFinder {
        private final ModulesByDigest files;
        private final ModuleTables tables;
        private final Map<ReportedKey, KernelModule> reported = new HashMap<>();
        private final Map<List<Object>, SetFacts> distinct = new HashMap<>();

        SetFactsFinder(ModulesByDigest files, ModuleTables tables) {
            this.files = files;
            this.tables = tables;
        }

        SetFacts of(ModuleSet set) {
            List<KernelModule> known = new ArrayList<>();
            SortedMap<String, String> unknown = new TreeMap<>();
            List<Object> key = new ArrayList<>();
            key.add(set.policy());
            key.add(unknown);
            for (Module module : set.chosen()) {
                KernelModule file = files.get(module.digest());
                if (file != null) {
                    known.add(file);
                    key.add(String.valueOf(module.digest()));
                    continue;
                }
                ReportedTable table = tables.find(module.digest());
                String objection = tables.isDisputed(module.digest())
                        ? "nodes report different symbol tables for this file"
                        : ReportedModule.objection(module, table);
                if (objection != null || table == null) {
                    unknown.put(module.name(), String.valueOf(objection));
                    continue;
                }
                ReportedKey facts = ReportedKey.of(module, table);
                known.add(reported.computeIfAbsent(facts, one -> ReportedModule.of(module, table)));
                key.add(facts);
            }
            return distinct.computeIfAbsent(key, one -> new SetFacts(set.policy(), known, unknown));
        }

        /**
         * The reported facts that a verdict depends on.
         *
         * @param file the module's name, as derived from the name of its file
         * @param table the symbol tables; equal tables are one object
         */
        private record ReportedKey(
                String name,
                String file,
                @Nullable String vermagic,
                NodeInventory.@Nullable Signature signature,
                ReportedTable table) {
            static ReportedKey of(Module module, ReportedTable table) {
                return new ReportedKey(
                        module.name(), Origin.moduleName(module.path()), module.vermagic(), module.signature(), table);
            }
        }
    }

    /**
     * The options for judging modules on kernels in an audit.
     *
     * @param root the root directory with the kernels and the store, null for {@code /}
     * @param kernels the releases and paths as the user typed them
     * @param store the directory of stored kernels, null for the default store below the root directory
     * @param loader the loader rules set by the user
     * @param certificates the files of trusted certificates
     * @param modules the files, directories and packages with the nodes' modules
     * @param explain whether to find the causes of changed CRCs
     * @param reading the options for reading modules
     */
    public record AuditRequest(
            @Nullable Path root,
            List<String> kernels,
            @Nullable Path store,
            Map<LoaderRule, String> loader,
            List<String> certificates,
            List<String> modules,
            boolean explain,
            ReadOptions reading) {
        public AuditRequest {
            kernels = List.copyOf(kernels);
            loader = Map.copyOf(loader);
            certificates = List.copyOf(certificates);
            modules = List.copyOf(modules);
        }
    }

    /**
     * The facts about the modules of a set.
     *
     * @param policy the nodes' signature policy
     * @param known the modules that can be judged; equal modules are one object in all sets
     * @param unknown the reasons why the other modules are unknown, by module name
     */
    record SetFacts(NodePolicy policy, List<KernelModule> known, SortedMap<String, String> unknown) {
        SetFacts {
            known = List.copyOf(known);
        }
    }
}
