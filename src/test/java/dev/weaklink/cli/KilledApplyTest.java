package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.transaction.TreeSnapshot;
import dev.weaklink.testing.ExternalTool;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code apply --rebuild} in a process that is really killed in some phase, and the same command afterwards. */
@Tag("slow")
class KilledApplyTest {
    @TempDir
    Path directory;

    private RebuildPlace place;
    private Path root;

    @BeforeEach
    void install() throws IOException {
        ExternalTool depmod = ExternalTool.orSkip("depmod");
        place = ApplyRebuildTest.withOldModules(RebuildPlace.in(directory));
        root = place.image().root();
        depmod.run("-b", root.toString(), KERNEL);
    }

    /** Runs the program in its own process and returns the exit status. */
    static int program(RebuildPlace place, String... words) throws IOException, InterruptedException {
        return start(place, words).waitFor();
    }

    /** Starts the program in its own process. */
    static Process start(RebuildPlace place, String... words) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectErrorStream(true);
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.redirectInput(new File("/dev/null"));
        builder.environment().putAll(place.environment());
        builder.environment().put("WEAKLINK_CACHE", "off");
        return builder.start();
    }

    /** Puts a program in front of the real one in PATH that kills the whole program at its Nth start. */
    private void killing(String name, int start) throws IOException {
        Path real = ExternalTool.orSkip(name).path();
        Path bin = Files.createDirectories(directory.resolve("killing"));
        Path count = directory.resolve("count");
        Path program = bin.resolve(name);
        Files.writeString(program, """
        #!/bin/sh
        echo x >> '%1$s'
        if [ "$(wc -l < '%1$s')" -eq %2$d ]; then
          kill -9 $(head -n 1 '%3$s')
          sleep 1
        fi
        exec '%4$s' "$@"
        """.formatted(count, start, root.resolve("run/weaklink/apply.lock"), real));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        String path = place.environment().get("PATH");
        place.environment().put("PATH", bin + File.pathSeparator + path);
    }

    private SortedMap<String, String> modules() throws IOException {
        SortedMap<String, String> all = TreeSnapshot.of(root);
        all.keySet().removeIf(path -> path.startsWith("var/") || path.startsWith("run"));
        return all;
    }

    /** Linking and installing end with depmod. Between them, the build starts tar. */
    @ParameterizedTest
    @CsvSource({"depmod,1,1", "tar,1,2", "depmod,2,1"})
    void continuesWhereItWasKilled(String program, int start, int runs) throws IOException, InterruptedException {
        SortedMap<String, String> before = modules();
        killing(program, start);
        assertThat(program(place, ApplyRebuildTest.words(place))).isEqualTo(137);
        String[] words = {"plan", "--root", root.toString()};
        assertThat(WholeRun.with(place.environment(), words).status()).isEqualTo(1);

        WholeRun again = WholeRun.with(place.environment(), ApplyRebuildTest.words(place));
        assertThat(again.status()).as("%s", again).isZero();
        assertThat(WholeRun.of("plan", "--units", "--root", root.toString())).isEqualTo(new WholeRun(0, """
                weaklink: 6.1.0-1-amd64 loads wl_en (extra/wl-en), wl_compat and 1 more (mlnx-ofed)
                weaklink: 6.1.0-1-amd64 loads other (extra/other) by a link
                """, ""));
        assertThat(place.run(runs)).isDirectory();
        assertThat(place.run(runs + 1)).doesNotExist();
        WholeRun undo = WholeRun.of("undo", "--root", root.toString());
        assertThat(undo.status()).as("%s", undo).isZero();
        assertThat(modules()).isEqualTo(before);
    }

    /**
     * A build can take long, so fitting builds are linked before it. Undo removes these links together with the rest.
     */
    @Test
    void linksFittingBuildsBeforeTheBuildAndUndoesThem() throws IOException, InterruptedException {
        SortedMap<String, String> before = modules();
        killing("tar", 1);
        assertThat(program(place, ApplyRebuildTest.words(place))).isEqualTo(137);
        assertThat(place.image().modules(KERNEL).resolve("weak-updates/other/other.ko"))
                .isSymbolicLink();
        assertThat(place.image().modules(KERNEL).resolve("modules.dep"))
                .content()
                .contains("weak-updates/other/other.ko:");
        assertThat(place.neutral(WholeRun.of("plan", "--root", root.toString()).err()))
                .isEqualTo(
                        "weaklink: weaklink apply --rebuild: was interrupted; to finish it: weaklink apply --rebuild --root ROOT; to take it back: weaklink undo --root ROOT\n");
        WholeRun undo = WholeRun.of("undo", "--root", root.toString());
        assertThat(undo.out()).isEqualTo("6.1.0-1-amd64: other: 1 link removed\n");
        assertThat(undo.status()).isZero();
        assertThat(modules()).isEqualTo(before);
        assertThat(WholeRun.of("plan", "--root", root.toString()).err()).isEmpty();
    }

    /** The interrupted transaction is the transaction of the installation. */
    @Test
    void undoRevertsAnInterruptedTransaction() throws IOException, InterruptedException {
        SortedMap<String, String> before = modules();
        killing("depmod", 2);
        assertThat(program(place, ApplyRebuildTest.words(place))).isEqualTo(137);
        assertThat(modules()).isNotEqualTo(before);
        assertThat(place.neutral(WholeRun.of("plan", "--root", root.toString()).err()))
                .isEqualTo(
                        "weaklink: transaction 2: was interrupted (weaklink apply --rebuild --bundle BUNDLE --root ROOT); to finish it: weaklink apply --rebuild --root ROOT; to take it back: weaklink undo --root ROOT\n");
        WholeRun undo = WholeRun.of("undo", "--root", root.toString());
        assertThat(undo.out()).isEqualTo("""
            /etc/depmod.d: 3 files removed
            6.1.0-1-amd64: mlnx-ofa_kernel: 2 files removed
            6.1.0-1-amd64: other: 1 link removed
            6.1.0-1-amd64: wl-en: 1 file removed
            """);
        assertThat(undo.status()).isZero();
        assertThat(modules()).isEqualTo(before);
        assertThat(WholeRun.of("plan", "--root", root.toString()).err()).isEmpty();
    }
}
