package dev.weaklink.check;

import dev.weaklink.check.SignatureCheck.GivenCertificates;
import dev.weaklink.check.result.BuildMatch;
import dev.weaklink.check.result.MatrixReport;
import dev.weaklink.check.result.MatrixReport.MatrixKernel;
import dev.weaklink.check.result.MatrixReport.Range;
import dev.weaklink.check.result.MatrixReport.Row;
import dev.weaklink.check.result.ReasonGroup;
import dev.weaklink.check.result.VerdictReason;
import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.TargetKernel;
import dev.weaklink.kernel.store.KernelStore;
import dev.weaklink.kernel.store.StoreEntry;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Layer;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.signature.CertificateFile.EncodedCertificate;
import dev.weaklink.rules.NamePattern;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.Workers;
import dev.weaklink.system.BuildSearch;
import dev.weaklink.system.BuildSearch.Build;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Judges several builds on the kernels of a store and reports, for each build, ranges of kernels with the same outcome.
 * Each thread judges on one kernel at a time, to save memory. The reason against a build is determined on only one
 * kernel of a range, see {@link MatrixReport#edge}.
 */
public final class KernelMatrix {
    private static final List<String> ALL = List.of("*");

    private final CheckRequest request;
    private final Root root;
    private final KernelStore store;
    private final Progress progress;
    private final List<InputProblem> problems = Collections.synchronizedList(new ArrayList<>());
    private final List<ReadBuild> builds = new ArrayList<>();
    private final Map<Answer, Answer> distinct = new ConcurrentHashMap<>();
    private List<EncodedCertificate> certificates = List.of();

    private KernelMatrix(CheckRequest request, Progress progress) throws IOException {
        this.request = request;
        this.root = request.root() == null ? Root.HOST : Root.of(request.root());
        this.store = new KernelStore(StoredKernels.directory(root, request.store()));
        this.progress = progress;
    }

    private record ReadBuild(Build build, ModuleFacts reading) {}

    /**
     * The answer of one kernel about one build.
     *
     * @param unchecked the ids of checks that could not be made; empty unless the build loads
     */
    private record Answer(Outcome outcome, Set<String> unchecked) {}

    private record Column(MatrixKernel kernel, StoreEntry entry) {}

    /**
     * Judges each build separately on the requested kernels of the store. The request selects kernels by name or
     * pattern; by default, all kernels are checked.
     *
     * @throws IOException if the root cannot be opened
     */
    public static MatrixReport of(CheckRequest request, Progress progress) throws IOException {
        return new KernelMatrix(request, progress).run();
    }

    private MatrixReport run() {
        List<Column> columns = columns();
        if (!columns.isEmpty()) {
            readBuilds();
        }
        certificates = GivenCertificates.read(request.certificates(), problems);
        Answer[][] answers = new Answer[columns.size()][];
        progress.start(columns.size(), "kernels");
        Workers.start(columns.size(), request.reading().threads(), Workers.all(index -> {
                    answers[index] = answers(columns.get(index));
                    progress.step(1);
                }))
                .finish();
        progress.done();
        List<MatrixKernel> kernels = new ArrayList<>();
        for (int i = columns.size() - 1; i >= 0; i--) {
            if (answers[i] == null) {
                columns.remove(i);
            } else {
                kernels.add(0, columns.get(i).kernel());
            }
        }
        List<List<Range>> ranges = ranges(
                kernels, Arrays.stream(answers).filter(row -> row != null).toList());
        tellReasons(columns, kernels, ranges);
        List<Row> rows = new ArrayList<>();
        for (int b = 0; b < builds.size(); b++) {
            rows.add(row(builds.get(b), ranges.get(b)));
        }
        problems.sort(Comparator.comparing(InputProblem::subject));
        return new MatrixReport(kernels, rows, problems);
    }

    private List<List<Range>> ranges(List<MatrixKernel> kernels, List<Answer[]> known) {
        List<List<Range>> all = new ArrayList<>();
        for (int b = 0; b < builds.size(); b++) {
            int build = b;
            List<Range> ranges = MatrixReport.ranges(
                    kernels, known.stream().map(row -> row[build].outcome()).toList());
            ranges.replaceAll(range -> {
                SortedSet<String> unchecked = new TreeSet<>();
                for (int kernel = range.first(); range.loads() && kernel <= range.last(); kernel++) {
                    unchecked.addAll(known.get(kernel)[build].unchecked());
                }
                return range.unchecking(unchecked);
            });
            all.add(ranges);
        }
        return all;
    }

    private List<Column> columns() {
        List<Column> columns = new ArrayList<>();
        try {
            List<StoreEntry> entries = store.entries();
            Set<StoreEntry> wanted = new HashSet<>();
            Map<String, Integer> releases = new HashMap<>();
            for (String kernel : request.kernels().isEmpty() ? ALL : request.kernels()) {
                boolean any = false;
                NamePattern pattern = new NamePattern(kernel);
                for (StoreEntry entry : entries) {
                    if (pattern.matches(entry.release()) || entry.isNamed(pattern.text())) {
                        any = true;
                        if (wanted.add(entry)) {
                            releases.merge(entry.release(), 1, Integer::sum);
                        }
                    }
                }
                if (!any) {
                    problems.add(new InputProblem(
                            kernel,
                            "no such kernel in "
                                    + store.directory()
                                    + "; 'weaklink store list"
                                    + store.words()
                                    + "' lists its kernels, 'weaklink store add"
                                    + store.words()
                                    + " KERNEL' adds one"));
                }
            }
            for (StoreEntry entry : wanted) {
                boolean once = releases.getOrDefault(entry.release(), 0) == 1;
                String name = once ? entry.release() : entry.name();
                columns.add(new Column(MatrixKernel.of(name, entry.release()), entry));
            }
        } catch (IOException e) {
            problems.add(new InputProblem(store.directory().toString(), IoReason.of(e)));
        }
        columns.sort((one, other) -> MatrixKernel.ORDER.compare(one.kernel(), other.kernel()));
        return columns;
    }

    /**
     * Reads the builds at or below the requested paths. Each package is a build. The module files of a path that are
     * not in a package are together one more build.
     */
    private void readBuilds() {
        for (String place : request.modules()) {
            List<InputProblem> met = new ArrayList<>();
            Set<Build> found = new TreeSet<>();
            for (Build build : BuildSearch.below(place, met)) {
                found.add(build.packaged() ? build : new Build(place, false));
            }
            problems.addAll(met);
            for (Matcher.BuildModules candidate : Matcher.candidates(List.copyOf(found), request, problems)) {
                ModuleFacts reading = ModuleFacts.read(ModuleFacts.inputs(candidate.modules()), request.reading());
                // Many threads read the modules from now on, so complete the facts of all modules first.
                BitSet all = new BitSet();
                all.set(0, reading.size());
                reading.examine(all, new BitSet(), -1);
                Checker.addFailures(reading, problems);
                builds.add(new ReadBuild(candidate.build(), reading));
            }
        }
        if (builds.isEmpty() && !InputProblem.matter(problems)) {
            problems.add(new InputProblem(request.modules().get(0), "contains no modules"));
        }
    }

    private @Nullable CheckTarget open(Column column) {
        try {
            return StoredKernels.open(column.entry().name(), store.read(column.entry()), request.loader());
        } catch (UnreadableException e) {
            problems.add(store.skipped(column.entry(), e.reason()));
            return null;
        }
    }

    private Answer @Nullable [] answers(Column column) {
        CheckTarget target = open(column);
        if (target == null) {
            return null;
        }
        int threads = request.reading().threads();
        Answer[] answers = new Answer[builds.size()];
        for (int b = 0; b < answers.length; b++) {
            ModuleFacts reading = builds.get(b).reading();
            List<Verdict> verdicts = UnseenImporters.marked(
                    target, Judge.untilRefused(target, reading, proofs(target, reading), threads));
            Verdict worst = BuildMatch.worst(verdicts);
            Outcome outcome = worst != null
                    ? worst.outcome()
                    : unknown(target, reading, verdicts) == null ? Outcome.COMPATIBLE : Outcome.UNDETERMINED;
            Set<String> unchecked = new HashSet<>();
            if (outcome == Outcome.COMPATIBLE) {
                verdicts.forEach(verdict -> unchecked.addAll(verdict.unchecked()));
            }
            answers[b] = distinct.computeIfAbsent(new Answer(outcome, unchecked), answer -> answer);
        }
        return answers;
    }

    private List<Verdict> judge(CheckTarget target, ModuleFacts reading) {
        return UnseenImporters.marked(target, Judge.readable(target, reading, proofs(target, reading), request));
    }

    private SignatureCheck.Proofs proofs(CheckTarget target, ModuleFacts reading) {
        synchronized (reading) {
            return SignatureCheck.run(target.keys(certificates, null), reading);
        }
    }

    /**
     * Returns the reason why a build is undetermined although every verdict is compatible; null if the build is not
     * undetermined. Either a module could not be read, or the kernel's architecture is unknown and the CRC of
     * module_layout was not compared.
     */
    private @Nullable String unknown(CheckTarget target, ModuleFacts reading, List<Verdict> verdicts) {
        String failure = failure(reading);
        boolean known = target.kernel().machine() != null;
        for (Verdict verdict : verdicts) {
            if (failure == null && !known && !isLayoutCompared(verdict, target.kernel())) {
                return Escape.bytes(verdict.module().name())
                        + ": the kernel's architecture is unknown; store the kernel again with"
                        + " 'weaklink store add" + store.words() + " KERNEL'";
            }
        }
        return failure == null ? null : Escape.text(failure);
    }

    /**
     * Returns whether the CRC of module_layout was compared. This CRC differs between architectures, so a match shows
     * that module and kernel are of the same architecture.
     */
    private static boolean isLayoutCompared(Verdict verdict, TargetKernel kernel) {
        return kernel.rules().is(LoaderRule.MODVERSIONS, "yes")
                && !verdict.unchecked().contains(Layer.MODULE_LAYOUT.id());
    }

    private static @Nullable String failure(ModuleFacts reading) {
        for (int i = 0; i < reading.size(); i++) {
            String failure = reading.failure(i);
            if (failure != null) {
                return reading.source(i).origin() + ": " + failure;
            }
        }
        return null;
    }

    private void tellReasons(List<Column> columns, List<MatrixKernel> kernels, List<List<Range>> ranges) {
        Map<Integer, List<int[]>> asked = new TreeMap<>();
        for (int b = 0; b < ranges.size(); b++) {
            for (int r = 0; r < ranges.get(b).size(); r++) {
                if (!ranges.get(b).get(r).loads()) {
                    int edge = MatrixReport.edge(kernels, ranges.get(b), r);
                    asked.computeIfAbsent(edge, kernel -> new ArrayList<>()).add(new int[] {b, r});
                }
            }
        }
        List<Integer> edges = List.copyOf(asked.keySet());
        Workers.start(edges.size(), request.reading().threads(), Workers.all(index -> {
                    CheckTarget target = open(columns.get(edges.get(index)));
                    for (int[] place : asked.getOrDefault(edges.get(index), List.of())) {
                        if (target != null) {
                            ranges.get(place[0])
                                    .set(
                                            place[1],
                                            because(
                                                    ranges.get(place[0]).get(place[1]),
                                                    target,
                                                    builds.get(place[0]).reading()));
                        }
                    }
                }))
                .finish();
    }

    private Range because(Range range, CheckTarget target, ModuleFacts reading) {
        List<Verdict> verdicts = judge(target, reading);
        Verdict worst = BuildMatch.worst(verdicts);
        if (worst == null) {
            return range.because("", String.valueOf(unknown(target, reading, verdicts)), "");
        }
        Finding.Effect effect = VerdictReason.decisive(worst);
        String layer = "";
        for (Finding finding : worst.findings()) {
            if (layer.isEmpty() && finding.effect() == effect) {
                layer = finding.layer().id();
            }
        }
        if (worst.outcome() == Outcome.INCOMPATIBLE && request.explain()) {
            List<Verdict> refused = new ArrayList<>(verdicts);
            refused.removeIf(verdict -> verdict.outcome() != Outcome.INCOMPATIBLE);
            CauseSource.TargetCauses explainer = request.reading().causesOn(root, request.store(), target);
            ReasonGroup first =
                    ReasonGroup.ofRefused(explainer.explain(refused)).get(0);
            if (first.cause() != null) {
                return range.because(layer, first.reason(), "");
            }
        }
        String name = Escape.bytes(worst.module().name());
        return range.because(
                layer,
                name + ": " + VerdictReason.of(worst),
                VerdictReason.inWords(worst, target.kernel().release()));
    }

    private static Row row(ReadBuild candidate, List<Range> ranges) {
        Build build = candidate.build();
        ModuleFacts reading = candidate.reading();
        PackageInfo info = Matcher.info(build);
        return new Row(
                build.file(),
                info == null ? "" : info.name(),
                info == null ? "" : info.version(),
                List.copyOf(Matcher.builtFor(reading, reading.size())),
                reading.size(),
                moduleNames(reading),
                ranges);
    }

    private static Set<String> moduleNames(ModuleFacts reading) {
        Set<String> names = new TreeSet<>();
        for (int i = 0; i < reading.size(); i++) {
            KernelModule module = reading.module(i);
            names.add(module == null ? reading.source(i).origin().moduleName() : Escape.Utf8.text(module.name()));
        }
        return names;
    }
}
