package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Diagnosis;
import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.run.TrialJudge.BuildJudgment;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrialJudgeTest {
    private static final Path SOURCE = Path.of("/usr/src/acme-1");

    private static final String RELEASE = "6.1.0-1-test";

    @TempDir
    Path directory;

    private TrialJudge judge;

    @BeforeEach
    void makeHeaders() throws IOException {
        judge = judge("CONFIG_MODVERSIONS=y");
    }

    private TrialJudge judge(String config) throws IOException {
        Path headers = directory.resolve("headers-" + config.length());
        Files.createDirectories(headers.resolve("include/config"));
        Files.writeString(headers.resolve("include/config/kernel.release"), RELEASE + "\n");
        Files.writeString(headers.resolve(".config"), "CONFIG_X86_64=y\n" + config + "\n");
        Files.writeString(
                headers.resolve("Module.symvers"), "0x11223344\tmodule_layout\tvmlinux\tEXPORT_SYMBOL_GPL\t\n");
        return new TrialJudge(new TrialKernel(RELEASE, headers, null, headers.toString(), ""), 1);
    }

    private Path module(String name, long layout) throws IOException {
        byte[] module = ModuleBuilder.minimal(Machine.X86_64, name)
                .modInfo("license=GPL")
                .modInfo("vermagic=" + RELEASE + " SMP mod_unload modversions ")
                .version("module_layout", layout)
                .build();
        return Files.write(directory.resolve(name + ".ko"), module);
    }

    @Test
    void saysThatEveryBuiltModuleWouldLoad() throws IOException {
        List<Path> built = List.of(module("good", 0x11223344L));
        assertThat(judge.judged(built, built)).isEqualTo(new BuildJudgment(TrialResult.LOADS, "", "", names("good")));
    }

    @Test
    void namesTheModuleThatTheKernelWouldRefuse() throws IOException {
        List<Path> built = List.of(module("good", 0x11223344L), module("stale", 0x55667788L));
        BuildJudgment answer = judge.judged(built, built);
        assertThat(answer.result()).isEqualTo(TrialResult.WOULD_BE_REFUSED);
        assertThat(answer.line()).startsWith("stale: ").contains("in which struct module");
        assertThat(answer.modules()).containsExactly("good", "stale");
    }

    @Test
    void ignoresMissingSignaturesAsDkmsSignsWhatItInstalls() throws IOException {
        List<Path> built = List.of(module("good", 0x11223344L));
        TrialJudge enforcing = judge("CONFIG_MODVERSIONS=y\nCONFIG_MODULE_SIG=y\nCONFIG_MODULE_SIG_FORCE=y");
        assertThat(enforcing.judged(built, built).result()).isEqualTo(TrialResult.LOADS);
    }

    @Test
    void judgesOnlyTheseModulesTogetherWithEarlierOnes() throws IOException {
        Path good = module("good", 0x11223344L);
        Path stale = module("stale", 0x55667788L);
        assertThat(judge.judged(List.of(good), List.of(stale, good)).result()).isEqualTo(TrialResult.LOADS);
    }

    @Test
    void doesNotCountABuildWithoutModulesAsAnAnswer() {
        assertThat(judge.judged(List.of(), List.of()))
                .isEqualTo(new BuildJudgment(
                        TrialResult.NOT_TRIED, "the build succeeded but left no module", "", names()));
    }

    @Test
    void refusesABuiltFileThatIsNotAnElfFile() throws IOException {
        List<Path> built = List.of(Files.writeString(directory.resolve("broken.ko"), "no module"));
        assertThat(judge.judged(built, built).result()).isEqualTo(TrialResult.WOULD_BE_REFUSED);
    }

    @Test
    void namesTheCompilersFirstErrorAndItsMeaning() {
        Diagnosis failure = new Diagnosis(
                Cause.API_CHANGE, "/w/acme.c:45:9: error: implicit declaration of function 'strlcpy'", "", "");
        assertThat(TrialJudge.failed(failure, Duration.ofMinutes(10), SOURCE, List.of()))
                .isEqualTo(new BuildJudgment(
                        TrialResult.DOES_NOT_COMPILE,
                        "acme.c:45: implicit declaration of function 'strlcpy'",
                        "the function was removed or moved to another header",
                        names()));
    }

    @Test
    void doesNotCallABuildInTheReadOnlySourceAFailure() {
        String line = "make[1]: *** No rule to make target '/usr/src/acme-1/a.o', needed by '/usr/src/acme-1/b.o'.";
        Diagnosis failure = new Diagnosis(Cause.API_CHANGE, line, "", "");
        assertThat(TrialJudge.failed(failure, Duration.ofMinutes(10), SOURCE, List.of()))
                .isEqualTo(new BuildJudgment(
                        TrialResult.NOT_TRIED,
                        "the Makefile builds in /usr/src/acme-1, which a trial build cannot change",
                        "",
                        names()));
        assertThat(TrialJudge.failed(failure, Duration.ofMinutes(10), Path.of("/usr/src/other-1"), List.of())
                        .result())
                .isEqualTo(TrialResult.DOES_NOT_COMPILE);
    }

    @Test
    void namesNoDirectoryOfTheTrialThatNoLongerExists() {
        Diagnosis failure = new Diagnosis(
                Cause.API_CHANGE, "ERROR: modpost: missing MODULE_LICENSE() in /t/run-1/work/acme.o", "", "");
        assertThat(TrialJudge.failed(failure, Duration.ofMinutes(10), SOURCE, List.of("/t/run-1/work/"))
                        .line())
                .isEqualTo("ERROR: modpost: missing MODULE_LICENSE() in acme.o");
    }

    private static Set<String> names(String... names) {
        return Set.of(names);
    }
}
