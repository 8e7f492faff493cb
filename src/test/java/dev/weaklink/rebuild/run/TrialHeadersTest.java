package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.rebuild.run.RebuildRun.RunListener;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrialHeadersTest {
    private static final Isolation OVERLAYS = new Isolation(List.of("unshare"), -1, -1);

    @TempDir
    Path root;

    /** The directory src of this project, which is the current directory of all tests. */
    @Test
    void takesANameWithoutASlashForARelease() {
        assertThatThrownBy(() -> find("src"))
                .isInstanceOf(NotDoneException.class)
                .hasMessage("src: headers not installed; to use the directory of this name, give ./src");
        assertThatThrownBy(() -> find("./src")).hasMessageStartingWith("./src: contains no kernel headers");
        assertThatThrownBy(() -> find(".")).hasMessageStartingWith(".: contains no kernel headers");
    }

    @Test
    void prefersInstalledHeadersToADirectoryOfTheSameName() throws IOException, NotDoneException {
        Path headers = headers("usr/src/linux-headers-src");
        assertThat(find("src").buildTree()).isEqualTo(headers);
    }

    @Test
    void findsTheHeadersOfKernelDevelWithoutTheKernel() throws IOException, NotDoneException {
        Path headers = headers("usr/src/kernels/6.12.0-1.el10.x86_64");
        assertThat(find("6.12.0-1.el10.x86_64").buildTree()).isEqualTo(headers);
    }

    private Path headers(String directory) throws IOException {
        Path headers = Files.createDirectories(root.resolve(directory));
        Files.writeString(headers.resolve("Makefile"), "");
        return headers;
    }

    private TrialKernel find(String kernel) throws IOException, NotDoneException {
        Path scratch = Files.createDirectories(root.resolve("scratch"));
        RunListener listener = new RunListener() {};
        return new TrialHeaders(Root.of(root), Map.of(), listener).find(List.of(kernel), scratch, OVERLAYS);
    }
}
