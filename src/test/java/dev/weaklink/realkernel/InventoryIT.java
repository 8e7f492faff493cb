package dev.weaklink.realkernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the built program with its shell script, in every shell, for thousands of real modules. */
class InventoryIT {
    private static final String SCRIPT = "src/main/dist/weaklink-collect";
    private static final List<List<String>> SHELLS =
            List.of(List.of("dash"), List.of("bash"), List.of("busybox", "ash"));

    @TempDir
    Path directory;

    @Test
    void programAndScriptAgreeOnATreeWithWeakLinks() throws IOException {
        Path top = treeWithEvery(9);
        String here = inventory("--full", "--root", top.toString());
        assertThat(here).contains("\"link\":").hasSizeGreaterThan(1 << 20);
        assertSame(here, script(List.of("dash"), "--full", "--root=" + top));
    }

    /** Uses more modules than those whose tables are digested. */
    @Test
    void everyShellPrintsTheSameForAThousandModules() throws IOException {
        Path top = treeWithEvery(4);
        String here = inventory("--root", top.toString());
        assertThat(here).contains("\"leftOut\":[\"crcs\"]");
        assertThat(here.split("\"vermagic\":", -1)).hasSizeGreaterThan(2000);
        for (List<String> shell : SHELLS) {
            assertSame(here, script(shell, "--root=" + top));
        }
    }

    /** Returns a root directory with links for one kernel to modules that were built for another. */
    private Path treeWithEvery(int step) throws IOException {
        ExternalTool.orSkip("modprobe");
        WeakUpdatesRoot root =
                WeakUpdatesRoot.redHat(directory.resolve("root"), present("6.1.0-53-amd64"), present("6.1.0-54-amd64"));
        List<Path> all = root.provider.files();
        Path links = root.directory(root.target).resolve("weak-updates/many");
        Files.createDirectories(links);
        for (int i = 0; i < all.size(); i += step) {
            Path file = all.get(i);
            Path added = Path.of(root.add("extra/many", file));
            Files.createSymbolicLink(links.resolve(file.getFileName()), added);
        }
        return root.top;
    }

    private static String inventory(String... arguments) {
        List<String> words = new ArrayList<>(List.of("inventory"));
        words.addAll(List.of(arguments));
        WeaklinkRunner.Run run = WeaklinkRunner.run(words);
        assertThat(run.stdout()).hasSize(1);
        return run.stdout().get(0) + "\n";
    }

    private static String script(List<String> shell, String... arguments) throws IOException {
        List<String> words = new ArrayList<>(shell.subList(1, shell.size()));
        words.add(Path.of(SCRIPT).toAbsolutePath().toString());
        words.addAll(List.of(arguments));
        return ExternalTool.orSkip(shell.get(0)).run(words.toArray(new String[0]));
    }

    /** Compares two lines; the program appends its additional fields. */
    private static void assertSame(String here, String script) {
        int length = script.length() - "}\n".length();
        assertThat(here.length()).isGreaterThan(length);
        assertThat(here.substring(0, length).equals(script.substring(0, length)))
                .isTrue();
        assertThat(here.substring(length)).isEqualTo(",\"userspace\":{\"findings\":[]}}\n");
    }

    private static Kernel present(String release) {
        Optional<Kernel> kernel = RealKernels.atDefault().find(release);
        assumeThat(kernel).as(release + " is not in the package index any more").isPresent();
        return kernel.orElseThrow();
    }
}
