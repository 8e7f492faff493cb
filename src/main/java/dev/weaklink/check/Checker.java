package dev.weaklink.check;

import dev.weaklink.check.CheckInput.OpenedKernel;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.check.result.TargetSummary;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleSource;
import dev.weaklink.system.cache.FactsCache;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds and reads the modules and kernels of a request, and judges every module on every kernel. */
public final class Checker {
    private Checker() {}

    /**
     * Judges every module on every target. Unreadable files become verdicts or problems of the report, never
     * exceptions. If no module or no kernel is found, a problem gives the reason.
     */
    public static CheckReport check(CheckRequest request, Progress progress) {
        return check(request, null, progress);
    }

    static CheckReport check(CheckRequest request, @Nullable List<ModuleSource> found, Progress progress) {
        List<InputProblem> problems = new ArrayList<>();
        Root root = root(request, problems);
        if (root == null) {
            return new CheckReport(List.of(), List.of(), problems);
        }
        CheckInput input = CheckInput.read(request, root, found, progress, problems);
        MissingNotes missing = new MissingNotes(input.modules());
        List<Verdict> verdicts = new ArrayList<>();
        List<TargetSummary> summaries = new ArrayList<>();
        for (OpenedKernel kernel : input.kernels()) {
            SignatureCheck.Proofs proofs = SignatureCheck.run(kernel.keys(), input.modules());
            List<Verdict> judged = Judge.files(root, kernel.target(), input.modules(), proofs, request);
            List<Verdict> noted = missing.addedTo(judged, kernel.target());
            verdicts.addAll(explained(kernel, noted));
            summaries.add(summary(kernel, proofs, input, request));
        }
        finish(request, input, problems);
        progress.done();
        return new CheckReport(summaries, verdicts, input.arguments().judged(), distinct(problems));
    }

    private static List<Verdict> explained(OpenedKernel kernel, List<Verdict> verdicts) {
        return kernel.causes() == null ? verdicts : kernel.causes().explain(verdicts);
    }

    private static TargetSummary summary(
            OpenedKernel kernel, SignatureCheck.Proofs proofs, CheckInput input, CheckRequest request) {
        TargetSummary summary = kernel.target().summary().with(proofs.notes());
        CauseSource.TargetCauses causes = kernel.causes();
        if (causes == null) {
            return summary;
        }
        List<ModuleSource> modules = input.arguments().modules();
        TargetSummary explained = summary.explained(causes.notes());
        return modules.size() == 1
                ? explained.with(causes.use(ModuleBatch.read(modules, request.reading())))
                : explained;
    }

    private static List<InputProblem> distinct(List<InputProblem> problems) {
        return new ArrayList<>(new LinkedHashSet<>(problems));
    }

    private static void finish(CheckRequest request, CheckInput input, List<InputProblem> problems) {
        for (OpenedKernel kernel : input.kernels()) {
            InTreeModules inTreeModules = kernel.target().inTreeModules();
            if (inTreeModules != null) {
                inTreeModules
                        .failures()
                        .forEach((file, why) ->
                                problems.add(new InputProblem(file, why + "; its exports are not known")));
            }
        }
        keep(request, input.kernels(), problems);
        addFailures(input.modules(), problems);
    }

    private static void keep(CheckRequest request, List<OpenedKernel> kernels, List<InputProblem> problems) {
        if (request.store() != null) {
            List<CheckTarget> targets =
                    kernels.stream().map(OpenedKernel::target).toList();
            FactsCache cache = request.reading().cache();
            new StoreWriter(new KernelStore(request.store()), cache).keepAll(targets, problems);
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

    public static List<KernelModule> facts(List<ModuleSource> modules, ReadOptions reading) {
        ModuleFacts facts = ModuleFacts.read(ModuleFacts.inputs(modules), reading);
        List<KernelModule> readable = new ArrayList<>();
        for (int i = 0; i < facts.size(); i++) {
            KernelModule module = facts.module(i);
            if (module != null) {
                readable.add(module);
            }
        }
        return readable;
    }

    static void addFailures(ModuleFacts reading, List<InputProblem> problems) {
        for (int i = 0; i < reading.size(); i++) {
            String failure = reading.failure(i);
            if (failure != null) {
                problems.add(new InputProblem(reading.source(i).origin().toString(), failure));
            }
        }
    }
}
