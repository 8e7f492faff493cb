package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** An image that the user names by a symlink. The cases of commands cover the rest of weak-modules. */
class WeakModulesTest extends RedHatImage {
    @Test
    void depmodFindsLinksThroughASymlinkToTheImage() throws IOException {
        extra("a", 5);
        Path other = Files.createSymbolicLink(directory.resolve("other"), image.root());
        Path seen = other.resolve(image.root().relativize(file("a")));

        WholeRun.reading(
                (seen + "\n").getBytes(StandardCharsets.UTF_8),
                "weak-modules",
                "--add-modules",
                "--no-initramfs",
                "--basedir",
                other.toString());

        assertThat(Files.readSymbolicLink(link("a"))).isEqualTo(seen);
        assertThat(image.modules(NEW).resolve("modules.dep")).content().contains("weak-updates/demo/a.ko:");
    }
}
