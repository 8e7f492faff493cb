package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.realkernel.VerdictLine.FindingLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Laws that hold for every kernel. The tests run on the newest kernel in the package index. */
class AnyKernelIT {
    private static final Set<String> VERSION_LAYERS =
            Set.of("module-layout", "symbol-missing", "symbol-crc", "symbol-version");

    @TempDir
    Path scratch;

    @ParameterizedTest
    @EnumSource
    void kernelLoadsItsOwnModules(DebianArch arch) {
        assumeThat(arch.isTestedByDefault())
                .as("only with -Dweaklink.all-arches=true")
                .isTrue();
        Optional<Kernel> newest = RealKernels.atDefault().newest(arch);
        assertThat(newest).as("a kernel with headers for " + arch).isPresent();
        Kernel kernel = newest.orElseThrow();
        List<VerdictLine> verdicts = Check.alone(kernel, List.of(kernel.modules()));
        Report.say(arch + ": " + verdicts.size() + " modules of " + kernel.release() + " on itself");
        assertThat(verdicts).hasSameSizeAs(kernel.files());
        assertThat(verdicts).noneMatch(VerdictLine::incompatible);
        assertThat(verdicts).allMatch(verdict -> verdict.errno() == null);
        assertThat(verdicts).noneMatch(AnyKernelIT::versionUnproven);
    }

    @Test
    void refusesOneFlippedCrcWithEinvalAndTheSymbol() throws IOException {
        VerdictLine verdict = judgeDummy(editor -> editor.flipCrc("register_netdevice", 1));
        assertThat(verdict.verdict()).isEqualTo("INCOMPATIBLE");
        assertThat(verdict.errno()).isEqualTo("EINVAL");
        assertThat(verdict.refusedSymbols(Set.of("symbol-crc"))).containsExactly("register_netdevice");
        assertThat(verdict.refusals()).hasSize(1);
    }

    @Test
    void aFlippedModuleLayoutIsEnoexecBeforeAllOtherChecks() throws IOException {
        VerdictLine verdict = judgeDummy(editor -> {
            editor.flipCrc("module_layout", 1);
            editor.flipCrc("register_netdevice", 1);
        });
        assertThat(verdict.verdict()).isEqualTo("INCOMPATIBLE");
        assertThat(verdict.errno()).isEqualTo("ENOEXEC");
        assertThat(verdict.refusals().get(0).layer()).isEqualTo("module-layout");
    }

    @Test
    void loadsAnUnchangedModuleWithoutSignature() throws IOException {
        VerdictLine verdict = judgeDummy(editor -> {});
        assertThat(verdict.verdict()).isEqualTo("COMPATIBLE");
        assertThat(verdict.errno()).isNull();
    }

    private VerdictLine judgeDummy(Consumer<ModuleEditor> change) throws IOException {
        Kernel kernel = RealKernels.atDefault().newest(DebianArch.AMD64).orElseThrow();
        ModuleEditor editor = new ModuleEditor(kernel.moduleBytes("dummy"));
        change.accept(editor);
        Path file = Files.write(scratch.resolve("dummy.ko"), editor.unsigned());
        List<VerdictLine> verdicts = Check.alone(kernel, List.of(file));
        assertThat(verdicts).hasSize(1);
        return verdicts.get(0);
    }

    private static boolean versionUnproven(VerdictLine verdict) {
        return verdict.findings().stream()
                .filter(FindingLine::unproven)
                .anyMatch(finding -> VERSION_LAYERS.contains(finding.layer()));
    }
}
