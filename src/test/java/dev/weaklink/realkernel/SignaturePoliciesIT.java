package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks the modules with a kernel's answers, for a kernel that enforces signatures. Modules that the kernel refuses
 * anyway stay refused, and a good signature is accepted. All other modules are refused, as
 * kernel/module/signing.c:module_sig_check does.
 */
class SignaturePoliciesIT {
    private static final String TARGET = "6.1.0-56-amd64";

    /** The derived module without any change. */
    private static final String GENUINE = "sig_native/dummy.ko";

    /** The errno of finit_module(2) before any check of a signature. */
    private static final String EMPTY = "EINVAL";

    private final RealKernels kernels = RealKernels.atDefault();

    @ParameterizedTest
    @CsvSource({"enforced, EKEYREJECTED", "lockdown, EPERM"})
    void derivedModules(String policy, String errno) throws IOException {
        Kernel target = kernel(TARGET);
        Map<String, Path> files = ModuleMutator.derive(target, Report.DIRECTORY.resolve("mut56"));
        Map<Path, VerdictLine> verdicts = byFile(Check.under(policy, target, files.values()));
        for (KernelAnswer answer : KernelAnswers.of(TARGET)) {
            if (!answer.label().startsWith("mut56/")) {
                continue;
            }
            String name = answer.label().substring("mut56/".length());
            VerdictLine verdict = verdicts.get(files.get(name));
            if (GENUINE.equals(name)) {
                assertThat(verdict.errno()).as(name).isNull();
            } else if (isFatalAnyway(name, answer)) {
                assertThat(verdict.errno()).as(name).isEqualTo(answer.errno());
            } else {
                assertThat(verdict.errno()).as(name).isEqualTo(errno);
            }
        }
    }

    /** Returns whether the module is refused under every policy, because of a broken signature or an empty file. */
    private static boolean isFatalAnyway(String name, KernelAnswer answer) {
        return EMPTY.equals(answer.errno()) && name.startsWith("elf_empty/")
                || name.startsWith("sig_") && answer.errno() != null;
    }

    @ParameterizedTest
    @CsvSource({"enforced, EKEYREJECTED", "lockdown, EPERM"})
    void modulesOfWholeKernels(String policy, String errno) {
        Kernel target = kernel(TARGET);
        Map<Path, KernelAnswer> answers = new HashMap<>();
        for (KernelAnswer answer : KernelAnswers.of(TARGET)) {
            String release = release(answer);
            if (answer.label().contains("/kernel/") && release.endsWith("-amd64")) {
                answers.put(kernel(release).modules().resolveSibling(answer.label()), answer);
            }
        }
        Map<Path, VerdictLine> verdicts = byFile(Check.under(policy, target, answers.keySet()));
        answers.forEach((file, answer) -> assertThat(verdicts.get(file).errno())
                .as(answer.label())
                .isEqualTo(release(answer).equals(TARGET) ? answer.errno() : errno));
        assertThat(answers).hasSizeGreaterThan(150);
    }

    private static String release(KernelAnswer answer) {
        return answer.label().substring(0, answer.label().indexOf('/'));
    }

    private Kernel kernel(String release) {
        Optional<Kernel> kernel = kernels.find(release);
        assumeThat(kernel).as(release + " is gone from the package index").isPresent();
        return kernel.orElseThrow();
    }

    private static Map<Path, VerdictLine> byFile(List<VerdictLine> verdicts) {
        Map<Path, VerdictLine> byFile = new HashMap<>();
        verdicts.forEach(verdict -> byFile.put(Path.of(verdict.file()), verdict));
        return byFile;
    }
}
