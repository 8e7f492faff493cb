package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.testing.ExternalTool;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The program on a FUSE file system whose server never answers. The test takes as long as the program waits. */
@Tag("slow")
class StalledFileSystemTest {
    /**
     * Mounts a file system that this process serves, and then replaces this process by a program that does not serve
     * it.
     */
    private static final String MOUNT = """
        exec 3<>/dev/fuse
        mount -i -t fuse none "$1" -o fd=3,rootmode=40000,user_id=0,group_id=0 || exit 99
        shift
        exec "$@"
        """;

    @TempDir
    Path directory;

    private Path mounted;

    @BeforeEach
    void requireFuse() throws Exception {
        ExternalTool.orSkip("unshare");
        assumeTrue(Files.exists(Path.of("/dev/fuse")), "needs /dev/fuse");
        mounted = Files.createDirectory(directory.resolve("mounted"));
        assumeTrue(mounting("true").waitFor() == 0, "needs root, to mount a FUSE file system");
    }

    private Process mounting(String... program) throws Exception {
        List<String> words = new ArrayList<>(List.of("unshare", "-m", "sh", "-c", MOUNT, "sh", mounted.toString()));
        words.addAll(List.of(program));
        return new ProcessBuilder(words).redirectErrorStream(true).start();
    }

    @Test
    @Timeout(300)
    void endsEveryCommandWithALineAboutTheFile() throws Exception {
        String file = mounted.resolve("a.ko").toString();
        String kernel = Files.writeString(
                        directory.resolve("Module.symvers"), "0x11223344\tmodule_layout\tvmlinux\tEXPORT_SYMBOL\t\n")
                .toString();
        List<List<String>> commands = List.of(
                List.of("check", "--kernel", kernel, file),
                List.of("check", "--kernel", kernel, mounted.toString()),
                List.of("check", "--kernel", mounted.resolve("a").toString(), file),
                List.of("inspect", file),
                List.of("audit", file),
                List.of("store", "add", "--store", directory.resolve("store").toString(), file));
        List<Process> processes = new ArrayList<>();
        for (List<String> command : commands) {
            processes.add(weaklink(command));
        }
        for (int i = 0; i < commands.size(); i++) {
            Process process = processes.get(i);
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(out)
                    .as("%s", commands.get(i))
                    .startsWith("weaklink: " + mounted)
                    .endsWith(": its file system has not answered for 60 seconds; check the file server, then run the"
                            + " command again\n");
            assertThat(process.waitFor()).as(out).isEqualTo(commands.get(i).contains("store") ? 5 : 2);
        }
    }

    private Process weaklink(List<String> command) throws Exception {
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
        words.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        words.addAll(command);
        return mounting(words.toArray(String[]::new));
    }
}
