package dev.weaklink.standin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the exit code and the message of each fault switch. */
class StandInFaultsTest {
    @TempDir
    static Path shared;

    static StandInImage image;

    @TempDir
    Path tmp;

    @BeforeAll
    static void makeImage() throws IOException {
        image = StandInImage.make(shared.resolve("image"));
        for (String name : List.of("createrepo", "mkisofs")) {
            Path program = Files.createDirectories(shared.resolve("bin")).resolve(name);
            Files.writeString(program, "#!/bin/sh\n");
            Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
          not-root              | 1  | You must be root to run mlnx_add_kernel_support.sh
          no-space              | 1  | Not enough disk space in the {tmp} directory. Required 614400KB
          unsupported-distro    | 1  | Linux Distribution (debian-release-12) is not supported
          not-a-bundle          | 1  | {image} is not a supported MLNX_OFED_LINUX directory
          no-source             | 1  | OFED tgz package not found under {image}/src directory
          no-source             | 1  | Use --ofed-sources to give its path.
          no-createrepo         | 1  | 'createrepo' is not installed! Please install it or use --skip-repo.
          no-apt-utils          | 1  | 'apt-utils' is not installed!
          no-bzip2              | 1  | 'bzip2' is not installed!
          missing-packages      | 1  | Error: One or more required packages for installing OFED-internal are missing.
          missing-packages      | 1  | Run:
          missing-packages      | 1  | apt-get install rpm-build elfutils-libelf-devel
          killed                | 1  | ERROR: Killed by user.
          already-supported     | 30 | Required kernel (5.14.0-570.el9) is already supported by MLNX_OFED_LINUX
          already-supported-6.1 | 0  | Required kernel (5.14.0-570.el9) is already supported by MLNX_OFED_LINUX
          """)
    void refusesWithTheExitCodeAndTheMessage(String fault, int exitCode, String line) throws IOException {
        StandInRun run = rebuild(fault);
        assertThat(run.exitCode()).isEqualTo(exitCode);
        assertThat(run.lines()).contains(named(line));
        assertThat(run.output()).doesNotContain("Created");
        assertThat(run.stderr()).isEmpty();
    }

    @Test
    void printsTheUsageForAnUnknownOption() throws IOException {
        StandInRun run = rebuild("old-script");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lines().get(0)).isEqualTo("Usage: mlnx_add_kernel_support.sh -m|--mlnx_ofed DIR [OPTION]...");
    }

    @Test
    void isoNeedsMkisofs() throws IOException {
        StandInRun run = rebuild("no-mkisofs", "--make-iso");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lastLine()).isEqualTo("mkisofs command not found");
    }

    @Test
    void namesAnIsoThatCannotBeMade() throws IOException {
        StandInRun run = rebuild("iso-fails", "--make-iso", "--skip-repo", "--name", "result");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.lines()).contains(named("Failed to create {tmp}/result.iso"));
    }

    @Test
    void coloursMessagesEvenWithoutATerminal() throws IOException {
        assertThat(rebuild("not-a-bundle").output().lines())
                .allMatch(line -> line.matches("\u001b\\[3[123]m.*\u001b\\[0m"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
          policy          | *** ERROR: ambiguous python shebang in /usr/bin/wl-tool
          disk-full       | No space left on device
          no-compiler     | make: gcc-of-this-kernel: No such file or directory
          compiler-killed | gcc: fatal error: Killed signal terminated program cc1
          broken-tree     | /bin/sh: 1: ./tools/objtool/objtool: not found
          wordless        | make[1]: *** [scripts/Makefile.build:250: wl_compat.o] Error 2
          """)
    void writesTheReasonOfAFailureThreeLogsDeep(String fault, String reason) throws IOException {
        StandInRun run = rebuild(fault, "--skip-repo");
        assertThat(run.exitCode()).isEqualTo(1);
        List<String> lines = run.lines();
        assertThat(lines.get(lines.size() - 2))
                .startsWith("ERROR: Failed executing \"")
                .contains("--kernel-only --kernel 5.14.0-570.el9 ");
        Path log = after("ERROR: See ", lines);
        assertThat(log.toString()).matches(tmp + "/mlnx_iso\\.\\d+_logs/mlnx_ofed_iso\\.\\d+\\.log");
        List<String> logged = Files.readAllLines(log);
        assertThat(logged).contains("Failed to build mlnx-ofa_kernel 24.10 RPM");
        Path last = after("See ", logged);
        assertThat(last.toString()).matches(".*/OFED\\.\\d+\\.logs/mlnx-ofa_kernel-24.10.rpmbuild.log");
        assertThat(Files.readString(last.resolveSibling("general.log"))).contains("See " + last);
        assertThat(Files.readString(last)).contains(reason);
    }

    @Test
    void keepsTheDirectoriesOfAFailedBuild() throws IOException {
        rebuild("policy", "--skip-repo");
        assertThat(namesIn(tmp)).hasSize(2).allMatch(name -> name.matches("mlnx_iso\\.\\d+(_logs)?"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nothing-built", "created-but-absent"})
    void canSucceedWithoutAResult(String fault) throws IOException {
        StandInRun run = rebuild(fault, "--skip-repo");
        assertThat(run.exitCode()).isZero();
        assertThat(namesIn(tmp)).noneMatch(name -> name.endsWith(".tgz"));
        assertThat(run.output().contains("Created")).isEqualTo(fault.startsWith("created"));
    }

    @Test
    void canSucceedWithOnlyAnOlderResult() throws IOException {
        Path older = Files.writeString(tmp.resolve("result.tgz"), "older");
        StandInRun run = rebuild("created-but-absent", "--skip-repo", "--name", "result");
        assertThat(run.created()).isEqualTo(older).hasContent("older");
    }

    @Test
    void canCutAResultShort() throws IOException {
        StandInRun run = rebuild("truncated-result", "--skip-repo");
        assertThat(run.exitCode()).isZero();
        assertThat(Files.size(run.created())).isEqualTo(2000);
    }

    @Test
    void canMakeAResultThatEscapes() throws IOException {
        StandInRun run = rebuild("hostile-archive", "--skip-repo");
        assertThat(TarList.of(run.created())).endsWith("../../standin-escaped");
    }

    @Test
    void canLeaveOutAPackageOnlyIfItIsForAllKernels() throws IOException {
        String missed = "/lib/modules/5.14.0-570.el9/extra/wl-en/wl_en.ko";
        StandInRun pinned = rebuild("kmp-drops-package", "--skip-repo");
        assertThat(TarList.of(pinned.created())).anyMatch(name -> name.endsWith(missed));
        StandInRun kmp = rebuild("kmp-drops-package", "--skip-repo", "--kmp");
        assertThat(kmp.exitCode()).isZero();
        assertThat(TarList.of(kmp.created()))
                .anyMatch(name -> name.endsWith("/wl_core.ko"))
                .noneMatch(name -> name.endsWith("/wl_en.ko"));
    }

    @Test
    void outputCanBeHostileToATerminal() throws IOException {
        StandInRun run = rebuild("hostile-output", "--skip-repo");
        assertThat(run.exitCode()).isZero();
        assertThat(run.output()).contains("\u001b]0;title\u0007\u001b[2J");
        assertThat(run.lines()).anyMatch(line -> line.length() > 1_000_000);
    }

    @Test
    void escapesALogThatIsHostileToATerminal() throws IOException {
        StandInRun run = rebuild("hostile-log", "--skip-repo");
        assertThat(run.exitCode()).isEqualTo(1);
        Path last = after("See ", Files.readAllLines(after("ERROR: See ", run.lines())));
        assertThat(new String(Files.readAllBytes(last), "ISO-8859-1"))
                .startsWith("wl_compat.c:1:1: error: \u001b]0;title\u0007\u001b[2J")
                .hasSizeGreaterThan(1_000_000);
    }

    @Test
    void refusesAnUnknownFault() throws IOException {
        StandInRun run = rebuild("no-sapce");
        assertThat(run.exitCode()).isEqualTo(64);
        assertThat(run.lines()).containsExactly("no such fault: no-sapce");
    }

    private StandInRun rebuild(String fault, String... more) throws IOException {
        Map<String, String> switches = new HashMap<>(StandInImage.withoutCompiler(shared));
        switches.put("STANDIN_FAULT", fault);
        // the scripts search for these programs but do not run them here
        switches.put("PATH", shared.resolve("bin").toString());
        String[] always = {"-m", image.directory().toString(), "-t", tmp.toString(), "-k", "5.14.0-570.el9", "-y"};
        return image.run(switches, Stream.of(always, more).flatMap(Stream::of).toArray(String[]::new));
    }

    private String named(String line) {
        return line.replace("{tmp}", tmp.toString())
                .replace("{image}", image.directory().toString());
    }

    private static Path after(String start, List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith(start))
                .map(line -> Path.of(line.substring(start.length())))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no \"" + start + "\" in " + lines));
    }

    private static List<String> namesIn(Path directory) throws IOException {
        try (Stream<Path> list = Files.list(directory)) {
            return list.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }
}
