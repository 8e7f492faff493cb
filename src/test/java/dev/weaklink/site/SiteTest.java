package dev.weaklink.site;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the pages that {@code src/site/build} writes; they stay in target/site. */
@Tag("slow")
class SiteTest {
    @Test
    void showsTheProgramsOutput(@TempDir Path directory) throws Exception {
        ExternalTool.orSkip("mandoc");
        Path program = directory.resolve("weaklink");
        Files.writeString(program, """
        #!/bin/sh
        exec '%s/bin/java' -XX:TieredStopAtLevel=1 -cp '%s' dev.weaklink.cli.Main "$@"
        """.formatted(System.getProperty("java.home"), classpath()));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));

        ExternalTool.orSkip("env").run("WEAKLINK=" + program, "src/site/build");

        Path site = Path.of("target/site");
        assertThat(site.resolve("index.html"))
                .content()
                .contains(
                        "INCOMPATIBLE  oot_b (EINVAL)",
                        "REBUILD NEEDED  2 modules of extra/demo",
                        "by alloc_workqueue() -&gt; struct workqueue_struct.max_active",
                        "blocked: oot_a, oot_b on 4 nodes: cn[01-04]",
                        "<a href=\"weaklink-check.1.html\">weaklink-check(1)</a>: check whether")
                .doesNotContainPattern("@[A-Z]+@|weaklink: ");
        assertThat(site.resolve("audit.html")).content().startsWith("<!DOCTYPE html>");
        assertThat(site.resolve("weaklink-check.1.html"))
                .content()
                .contains("href=\"site.css\"", "--signature-policy", "<a href=\"weaklink-audit.1.html\">");
    }

    /** Returns the class path with absolute paths, for other working directories. */
    private static String classpath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
