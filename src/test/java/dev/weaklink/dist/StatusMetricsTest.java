package dev.weaklink.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.testing.OtherUser;
import dev.weaklink.testing.Shells;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the metrics file that the timer's script writes for the node exporter, in every shell. */
class StatusMetricsTest {
    private static final Path SCRIPT = Path.of("src/main/dist/status-metrics").toAbsolutePath();

    @TempDir
    Path directory;

    private String said = "";

    /** Commands that the shell runs before the script. */
    private String prologue = "";

    private int run(String shell, String output, int status) throws Exception {
        return run(shell, output, status, directory.toRealPath().resolve("textfiles"));
    }

    private int run(String shell, String output, int status, Path textfiles) throws Exception {
        Path program = directory.resolve("weaklink");
        Files.writeString(program, "#!/bin/sh\necho '" + output + "'\nexit " + status + "\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        List<String> command = Shells.command(shell);
        if (!prologue.isEmpty()) {
            command.addAll(List.of("-c", prologue + ". \"$0\""));
        }
        command.addAll(List.of(SCRIPT.toString(), textfiles.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("WEAKLINK", program.toString());
        builder.environment().put("WEAKLINK_HOOK_ROOT", directory.toString());
        Process process = builder.start();
        said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor();
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void writesALineToTheJournalForEachHeldKernel(String shell) throws Exception {
        Path motd = Files.createDirectories(directory.resolve("etc/motd.d")).resolve("weaklink-hold");
        Files.writeString(motd, "weaklink: 6.1.0-9-amd64 is held back\n");
        assertThat(run(shell, "", 0)).isZero();
        assertThat(said).isEqualTo("weaklink: 6.1.0-9-amd64 is held back\n");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void defectsAreCounted(String shell) throws Exception {
        Path file = Files.createDirectory(directory.resolve("textfiles")).resolve("weaklink.prom");
        String links = "{\"links\":[{\"module\":\"a\",\"defects\":[\"unused\",\"unseen\"],\"mayBeRemoved\":false},"
                + "{\"defects\":[\"unused\"]}],\"held\":[{\"kernel\":\"6.1.0-9-amd64\","
                + "\"since\":\"2026-11-24\",\"refused\":[\"a\"]}],\"trials\":[{\"product\":\"a/1\","
                + "\"trial\":\"does-not-compile\",\"line\":\"\\\"trial\\\":\\\"x\\\"\"},{\"trial\":\"loads\"},"
                + "{\"trial\":\"loads\"}]}";
        assertThat(run(shell, links, 1)).isZero();
        assertThat(said).isEmpty();
        assertThat(Files.readString(file).lines().filter(line -> !line.startsWith("#")))
                .startsWith(
                        "weaklink_links_defects{defect=\"unseen\"} 1",
                        "weaklink_links_defects{defect=\"unused\"} 2",
                        "weaklink_held_kernels 1",
                        "weaklink_trial_builds{result=\"does-not-compile\"} 1",
                        "weaklink_trial_builds{result=\"loads\"} 2",
                        "weaklink_status 1")
                .last()
                .asString()
                .matches("weaklink_status_time_seconds [0-9]+");
        assertThat(run(shell, "", 2)).isEqualTo(2);
        try (Stream<Path> files = Files.list(file.getParent())) {
            assertThat(files).containsExactly(file);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void doesNothingWithoutTheDirectory(String shell) throws Exception {
        assertThat(run(shell, "{}", 5)).isZero();
        assertThat(directory.resolve("textfiles")).doesNotExist();
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void doesNotWriteThroughALink(String shell) throws Exception {
        Path elsewhere = Files.createDirectory(directory.toRealPath().resolve("elsewhere"));
        Files.createSymbolicLink(directory.resolve("textfiles"), elsewhere);
        assertThat(run(shell, "{}", 0)).isEqualTo(1);
        assertThat(said).contains("the directory is a link to " + elsewhere);
        assertThat(elsewhere).isEmptyDirectory();
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void doesNotWriteWhereOthersCanMakeLinks(String shell) throws Exception {
        Path textfiles = Files.createDirectory(directory.resolve("textfiles"));
        Files.setPosixFilePermissions(textfiles, PosixFilePermissions.fromString("rwxrwxr-x"));
        assertThat(run(shell, "{}", 0)).isEqualTo(1);
        assertThat(said).contains("other users can write to the directory; run: chown root ");
        assertThat(textfiles).isEmptyDirectory();
        Files.setPosixFilePermissions(textfiles, PosixFilePermissions.fromString("rwxr-xr-x"));
        assumeThat(System.getProperty("user.name")).isEqualTo("root");
        Files.setAttribute(textfiles, "unix:uid", 65534);
        assertThat(run(shell, "{}", 0)).isEqualTo(1);
        assertThat(textfiles).isEmptyDirectory();
    }

    /** Creates links with all names that a process might use, as the directory's owner could. */
    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void replacesLinksInTheDirectoryWithoutFollowingThem(String shell) throws Exception {
        Path textfiles = Files.createDirectory(directory.resolve("textfiles"));
        Path secret = Files.writeString(directory.resolve("secret"), "secret");
        Files.createSymbolicLink(textfiles.resolve("weaklink.prom"), secret);
        long pid = ProcessHandle.current().pid();
        for (long next = pid; next < pid + 5000; next++) {
            Files.createSymbolicLink(textfiles.resolve("weaklink.prom." + next), secret);
        }
        assertThat(run(shell, "{}", 0)).isZero();
        assertThat(secret).hasContent("secret");
        assertThat(textfiles.resolve("weaklink.prom")).content().contains("weaklink_status 0");
    }

    /**
     * Tests shells that print the name given to cd as the working directory. Here, that name is another directory's.
     */
    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void doesNotWriteToADirectoryThatWasReplacedAfterCd(String shell) throws Exception {
        Path textfiles = Files.createDirectory(directory.toRealPath().resolve("textfiles"));
        Path elsewhere = directory.toRealPath().resolve("elsewhere");
        prologue = "cd() { command cd \"$@\" && mv " + textfiles + " " + elsewhere + " && mkdir " + textfiles + "; }\n";
        assertThat(run(shell, "{}", 0)).isEqualTo(1);
        assertThat(said).contains("the directory is a link to " + elsewhere);
        assertThat(elsewhere).isEmptyDirectory();
        assertThat(textfiles).isEmptyDirectory();
    }

    /** On Debian, the parent directory belongs to the node exporter's user. */
    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void doesNotFollowALinkInADirectoryOfAnotherUser(String shell) throws Exception {
        Path theirs = OtherUser.directoryOrSkip(directory.toRealPath().resolve("theirs"));
        Path textfiles = Files.createDirectory(theirs.resolve("textfiles"));
        Path elsewhere = Files.createDirectory(directory.toRealPath().resolve("elsewhere"));
        String swap =
                "rename $ARGV[0], $ARGV[1]; symlink $ARGV[2], $ARGV[0]; unlink $ARGV[0]; rename $ARGV[1], $ARGV[0];";
        int refused = 0;
        try (OtherUser attacker = OtherUser.repeating(swap, textfiles, theirs.resolve("away"), elsewhere)) {
            for (int i = 0; i < 200 && refused < 3; i++) {
                refused += run(shell, "{}", 0, textfiles) == 0 ? 0 : 1;
            }
            assertThat(attacker).isNotNull();
        }
        assertThat(refused).isPositive();
        assertThat(elsewhere).isEmptyDirectory();
    }
}
