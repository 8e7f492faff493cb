package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.realkernel.KernelAnswer.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Compares every verdict with a booted kernel's answer to the same file. */
class KernelAnswersIT {
    private static final String TARGET = "6.1.0-56-amd64";
    private static final String BUSY_TARGET = "6.1.0-54-amd64";

    /** The files that the kernel received compressed; modprobe decompresses them first, and so does weaklink. */
    private static final Set<String> COMPRESSED = Set.of("mut56/raw_xz/dummy.ko", "mut56/raw_gz/dummy.ko");

    private final RealKernels kernels = RealKernels.atDefault();
    private final Disagreements disagreements = new Disagreements();

    @Test
    void everyModuleOf53GetsTheAnswerOfKernel54() {
        Kernel target = target(BUSY_TARGET);
        Map<Path, KernelAnswer> answers = locate(KernelAnswers.of(BUSY_TARGET));
        Optional<Kernel> source = kernels.find("6.1.0-53-amd64");
        assumeThat(source).as("6.1.0-53-amd64 is gone from the package index").isPresent();
        Map<Path, VerdictLine> verdicts =
                byFile(Check.alone(target, List.of(source.orElseThrow().modules())));
        answers.forEach((file, answer) -> compare(answer, file, verdicts));
        assertThat(answers).hasSize(4023);
        assertNoDisagreements();
    }

    @Test
    void nativeAndForeignModulesGetTheAnswerOfKernel56() {
        Map<Path, KernelAnswer> answers =
                locate(answersOf56(answer -> answer.label().contains("/kernel/")));
        compareAlone(target(TARGET), answers);
        assertNoDisagreements();
    }

    @Test
    void derivedModulesGetTheAnswerOfKernel56() throws IOException {
        Kernel target = target(TARGET);
        Map<String, Path> files = ModuleMutator.derive(target, Report.DIRECTORY.resolve("mut56"));
        Map<Path, KernelAnswer> answers = new LinkedHashMap<>();
        for (KernelAnswer answer : answersOf56(answer -> answer.label().startsWith("mut56/"))) {
            Path file = files.get(answer.label().substring("mut56/".length()));
            assertThat(file).as(answer.label()).isNotNull();
            assertSameFile(answer, file);
            answers.put(file, answer);
        }
        assertThat(answers).hasSize(127).hasSameSizeAs(files);
        compareAlone(target, answers);
        assertNoDisagreements();
    }

    @Test
    void modulesWithAnotherModuleLayoutGetTheAnswerOfKernel56() throws IOException {
        Kernel target = target(TARGET);
        long layout = target.crcOf("module_layout");
        Map<String, Path> sources = target("6.1.0-53-amd64").filesByName();
        Path directory = Files.createDirectories(Report.DIRECTORY.resolve("relayout53on56"));
        Map<Path, KernelAnswer> answers = new LinkedHashMap<>();
        for (KernelAnswer answer : answersOf56(a -> a.label().startsWith("relayout53on56/"))) {
            Path file = directory.resolve(fileName(answer.label()));
            byte[] source = Files.readAllBytes(sources.get(fileName(answer.label())));
            Files.write(file, ModuleMutator.withModuleLayout(source, layout));
            assertSameFile(answer, file);
            answers.put(file, answer);
        }
        assertThat(answers).hasSize(60);
        compareAlone(target, answers);
        assertNoDisagreements();
    }

    @Test
    void outOfTreeModulesGetTheAnswerOfKernel56() throws IOException, InterruptedException {
        Kernel target = target(TARGET);
        Map<String, Optional<OutOfTreeModules>> builds = new HashMap<>();
        for (String number : List.of("54", "55", "56")) {
            builds.put("oot" + number, OutOfTreeModules.builtFor("6.1.0-" + number + "-amd64"));
        }
        List<KernelAnswer> answers = answersOf56(answer -> answer.label().startsWith("oot"));
        List<KernelAnswer> judged = new ArrayList<>();
        for (KernelAnswer answer : answers) {
            if (builds.get(buildOf(answer.label())).isPresent()) {
                judged.add(answer);
                compareOutOfTree(target, answer, builds);
            } else {
                Report.say("NOT JUDGED: " + answer.label() + " (kernel headers are not installed)");
            }
        }
        assumeThat(judged).as("no kernel headers are installed").isNotEmpty();
        assertNoDisagreements();
    }

    private void compareOutOfTree(Kernel target, KernelAnswer answer, Map<String, Optional<OutOfTreeModules>> builds)
            throws IOException {
        Path file = outOfTreeFile(answer.label(), builds);
        String first = answer.loadedFirst();
        List<VerdictLine> verdicts = first == null
                ? Check.alone(target, List.of(file))
                : Check.together(target, List.of(file, outOfTreeFile(first, builds)));
        compare(answer, file, byFile(verdicts));
    }

    private static Path outOfTreeFile(String label, Map<String, Optional<OutOfTreeModules>> builds) throws IOException {
        OutOfTreeModules build = builds.get(buildOf(label)).orElseThrow();
        return build.file(fileName(label));
    }

    /** Returns the first part of a label: a build or a kernel release. */
    private static String buildOf(String label) {
        return label.substring(0, label.indexOf('/'));
    }

    private static String fileName(String label) {
        return label.substring(label.lastIndexOf('/') + 1);
    }

    private Kernel target(String release) {
        Optional<Kernel> kernel = kernels.find(release);
        if (kernel.isEmpty()) {
            Report.say("KERNEL GONE: " + release + ": its recorded answers cannot be compared");
        }
        assumeThat(kernel).as(release + " is gone from the package index").isPresent();
        return kernel.orElseThrow();
    }

    private static List<KernelAnswer> answersOf56(Predicate<KernelAnswer> selection) {
        return KernelAnswers.of(TARGET).stream().filter(selection).toList();
    }

    /** Returns the files of whole kernels by label; reports the rows without a file. */
    private Map<Path, KernelAnswer> locate(List<KernelAnswer> answers) {
        Map<String, List<KernelAnswer>> byRelease = answers.stream()
                .collect(Collectors.groupingBy(answer -> buildOf(answer.label()), TreeMap::new, Collectors.toList()));
        Map<Path, KernelAnswer> located = new LinkedHashMap<>();
        byRelease.forEach((release, rows) -> {
            Optional<Kernel> kernel = foreignKernel(release);
            if (kernel.isEmpty()) {
                Report.say("NOT JUDGED: " + rows.size() + " modules of " + release + " (not fetched)");
            }
            for (KernelAnswer row : rows) {
                kernel.ifPresent(k -> located.put(k.modules().resolveSibling(row.label()), row));
            }
        });
        return located;
    }

    private Optional<Kernel> foreignKernel(String release) {
        DebianArch arch = DebianArch.ofRelease(release);
        return arch.isTestedByDefault() ? kernels.find(release, arch) : Optional.empty();
    }

    private void compareAlone(Kernel target, Map<Path, KernelAnswer> answers) {
        Map<Path, VerdictLine> verdicts = byFile(Check.alone(target, answers.keySet()));
        answers.forEach((file, answer) -> compare(answer, file, verdicts));
    }

    private void compare(KernelAnswer answer, Path file, Map<Path, VerdictLine> verdicts) {
        VerdictLine verdict = verdicts.get(file);
        if (verdict == null) {
            disagreements.add(answer.label() + ": no verdict for " + file);
        } else if (COMPRESSED.contains(answer.label())) {
            expectAccepted(answer, verdict);
        } else if (answer.outcome() != Outcome.INCONCLUSIVE) {
            disagreements.compare(answer, verdict);
        }
    }

    private void expectAccepted(KernelAnswer answer, VerdictLine verdict) {
        if (verdict.errno() != null || verdict.incompatible()) {
            disagreements.add(answer.label() + ": refused, " + verdict.findings());
        }
    }

    private static Map<Path, VerdictLine> byFile(List<VerdictLine> verdicts) {
        Map<Path, VerdictLine> byFile = new HashMap<>();
        verdicts.forEach(verdict -> byFile.put(Path.of(verdict.file()), verdict));
        return byFile;
    }

    private void assertNoDisagreements() {
        assertThat(disagreements.found())
                .as("verdicts that differ from the kernel's")
                .isEmpty();
    }

    /** Checks that the recorded answer is for these bytes. */
    private static void assertSameFile(KernelAnswer answer, Path file) throws IOException {
        String digest = answer.digest();
        if (digest != null) {
            assertThat(sha256(Files.readAllBytes(file))).as(answer.label()).startsWith(digest);
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }
}
