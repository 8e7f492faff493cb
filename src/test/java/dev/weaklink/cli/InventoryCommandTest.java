package dev.weaklink.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.system.InstalledRpm;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code weaklink inventory}, which runs the collector. The collector's own tests cover its output. */
class InventoryCommandTest {
    private static final String RELEASE = "5.14.0-1.x86_64";
    private static final String KMOD = "/lib/modules/" + RELEASE + "/extra/a/alpha.ko";

    @TempDir
    Path directory;

    private Path root;

    @BeforeEach
    void makeRoot() throws IOException {
        root = Files.createDirectories(directory.resolve("a root"));
        TreeBuilder.in(root)
                .file(KMOD.substring(1), new byte[] {1})
                .file("proc/sys/kernel/hostname", "cn001\n".getBytes(UTF_8));
    }

    @Test
    void addsLibrariesToTheCollectorsLine() throws IOException {
        String script =
                Path.of("src/main/dist/weaklink-collect").toAbsolutePath().toString();
        String collected = ExternalTool.orSkip("sh").run(script, "--full", "--root=" + root);
        String none = ",\"userspace\":{\"findings\":[]}}\n";
        assertThat(collected).endsWith("}\n").contains("\"tables\":");
        assertThat(inventory("--full").out()).isEqualTo(collected.substring(0, collected.length() - 2) + none);
    }

    @Test
    void acceptsAnotherNameOrNone() throws IOException {
        assertThat(json(inventory()).get("node").asText()).isEqualTo("cn001");
        assertThat(json(inventory("--name", "rack '1'")).get("node").asText()).isEqualTo("rack '1'");
        assertThat(json(inventory("--no-name")).has("node")).isFalse();
        WholeRun both = inventory("--no-name", "--name", "x");
        assertThat(both.status()).isEqualTo(2);
        assertThat(both.out()).isEmpty();
    }

    @Test
    void packagesOfAnRpmImageAreReadFromACopy() throws Exception {
        InstalledRpm.of("alpha-modules", "2:1.0", List.of(KMOD), root, directory);
        InstalledRpm.of("kmod-other", "3", List.of("/usr/share/x"), root, directory);
        InstalledRpm.of("bash", "5", List.of("/usr/bin/bash"), root, directory);
        Path database = root.resolve("var/lib/rpm");
        List<String> before = ExternalTool.orSkip("ls")
                .run("-la", database.toString())
                .lines()
                .toList();
        JsonNode node = json(inventory());
        assertThat(node.get("packages").toString())
                .isEqualTo("[{\"name\":\"alpha-modules\",\"version\":\"2:1.0-1\",\"arch\":\"noarch\",\"kind\":\"rpm\"},"
                        + "{\"name\":\"kmod-other\",\"version\":\"0:3-1\",\"arch\":\"noarch\",\"kind\":\"rpm\"}]");
        assertThat(node.get("problems").findValuesAsText("path")).containsExactly(KMOD);
        assertThat(ExternalTool.orSkip("ls")
                        .run("-la", database.toString())
                        .lines()
                        .toList())
                .isEqualTo(before);
    }

    @Test
    void reportsADatabaseThatRpmCannotRead() throws IOException {
        ExternalTool.orSkip("rpm");
        TreeBuilder.in(root).file("var/lib/rpm/rpmdb.sqlite", "junk".getBytes(UTF_8));
        assertThat(json(inventory()).get("problems").toString())
                .contains("{\"path\":\"/var/lib/rpm/rpmdb.sqlite\",\"reason\":\"rpm cannot read it\"}");
    }

    @Test
    void reportsAMissingRootInOneLine() throws IOException {
        WholeRun run = WholeRun.of("inventory", "--root", directory + "/gone");
        assertThat(run.at(directory)).isEqualTo(new WholeRun(2, "", """
                weaklink: --root DIR/gone: no such directory
                Try: weaklink inventory --help
                """));
    }

    private WholeRun inventory(String... options) {
        List<String> words = new ArrayList<>(List.of("inventory", "--root", root.toString()));
        words.addAll(List.of(options));
        return WholeRun.of(words.toArray(new String[0]));
    }

    private static JsonNode json(WholeRun run) throws IOException {
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        return new ObjectMapper().readTree(run.out());
    }
}
