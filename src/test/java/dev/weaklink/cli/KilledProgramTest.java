package dev.weaklink.cli;

import static dev.weaklink.cli.CommandMatrix.NEW;
import static dev.weaklink.cli.CommandMatrix.OLD;
import static dev.weaklink.cli.CommandMatrix.words;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.transaction.MemoryDirectory;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program in a process that is really killed, and the same command afterwards. */
@Tag("slow")
class KilledProgramTest {
    private static final int ROUNDS = Integer.getInteger("weaklink.processKills", 3);

    /** The system calls that change a file or directory, or start a program. */
    private static final String CALLS =
            "rename,renameat,renameat2,symlink,symlinkat,link,linkat,mkdir,mkdirat,unlink,unlinkat,rmdir,"
                    + "fsync,fdatasync,chmod,fchmodat,ftruncate,write,pwrite64,execve";

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private CommandMatrix matrix;

    @BeforeEach
    void makeImage() throws IOException {
        ExternalTool.orSkip("depmod");
        directory = directory.toRealPath();
        matrix = new CommandMatrix(directory);
        matrix.redHat();
        DurableFiles.deleteTree(matrix.root().resolve("lib/modules/" + OLD + "/extra/c"));
    }

    private ExternalCommand.Result process(List<String> before, String path, String... words) throws IOException {
        List<String> all = new ArrayList<>(before);
        all.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        all.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
        all.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        all.addAll(List.of(words));
        return ExternalCommand.of(all, Duration.ofMinutes(3))
                .withEnvironment(Map.of("PATH", path, "WEAKLINK_CACHE", "off"))
                .run();
    }

    private String path() {
        return System.getenv("PATH");
    }

    @ParameterizedTest
    @ValueSource(strings = {"KILL", "TERM"})
    void finishesATransactionAfterASignalDuringDepmod(String signal) throws IOException {
        Path bin = Files.createDirectory(directory.resolve("bin"));
        Path depmod = bin.resolve("depmod");
        Files.writeString(depmod, "#!/bin/sh\nkill -" + signal + " $PPID\nexec sleep 1\n");
        Files.setPosixFilePermissions(depmod, PosixFilePermissions.fromString("rwxr-xr-x"));
        String root = matrix.root().toString();
        Path link = matrix.root().resolve("lib/modules/" + NEW + "/weak-updates/demo/a.ko");

        assertThat(process(List.of(), bin + ":" + path(), "apply", "--root", root)
                        .succeeded())
                .isFalse();
        assertThat(link).isSymbolicLink();
        WholeRun again = words("apply", "--root", root).run();

        assertThat(again.messages())
                .containsExactly(
                        "transaction 1 was interrupted (weaklink apply --root " + root + ")",
                        "transaction 1 has now been finished");
        assertThat(again.out()).startsWith(NEW + ": demo: 2 links made\n");
        assertThat(again.status()).isZero();
        assertThat(matrix.root().resolve("lib/modules/" + NEW + "/modules.dep"))
                .content()
                .contains("weak-updates/demo/a.ko:");
        WholeRun undo = words("undo", "--root", root).run();
        assertThat(undo.out()).isEqualTo(NEW + ": demo: 2 links removed\n");
        assertThat(Files.exists(link)).isFalse();
    }

    @Test
    void finishesATransactionAfterAKillAtASystemCall() throws IOException {
        ExternalTool.orSkip("strace");
        String[] apply = {"apply", "--root", matrix.root().toString()};
        SortedMap<String, String> after = matrix.prepare(words(apply), 0);
        Random random = new Random(ROUNDS);
        int killed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int call = ROUNDS < 50 ? 1 + random.nextInt(120) : 1 + round;
            boolean died = matrix.afterKill(point -> killedAt(point, apply), call, words(apply), 0, after, true);
            killed += died ? 1 : 0;
        }
        assertThat(killed).isGreaterThan(0);
    }

    private String killedAt(int call, String... words) throws IOException {
        List<String> strace = List.of(
                "strace",
                "-f",
                "-qqq",
                "-o",
                "/dev/null",
                "-e",
                "trace=" + CALLS,
                "-e",
                "inject=" + CALLS + ":signal=SIGKILL:when=" + call);
        ExternalCommand.Result result = process(strace, path(), words);
        return result.succeeded() ? null : "system call " + call + " (" + result.reason() + ")";
    }
}
