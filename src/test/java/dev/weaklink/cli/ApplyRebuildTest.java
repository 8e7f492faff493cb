package dev.weaklink.cli;

import static dev.weaklink.cli.RebuildPlace.KERNEL;
import static dev.weaklink.cli.RebuildPlace.built;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.transaction.TransactionGroup;
import dev.weaklink.links.transaction.TreeSnapshot;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.ModuleBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The changes that apply --rebuild makes. Its output is tested by test-fixtures/cases/built. */
class ApplyRebuildTest {
    static final String OLD = "6.1.0-0-amd64";

    @TempDir
    Path directory;

    private RebuildPlace place;
    private String root;

    @BeforeEach
    void prepare() throws IOException {
        ExternalTool depmod = ExternalTool.orSkip("depmod");
        place = withOldModules(RebuildPlace.in(directory));
        root = place.image().root().toString();
        depmod.run("-b", root, KERNEL);
    }

    /** Adds two modules that must be rebuilt for the new kernel, and one module that fits it. */
    static RebuildPlace withOldModules(RebuildPlace place) throws IOException {
        place.image().module(OLD, "extra/mlnx-ofa_kernel/wl_core.ko", importing("wl_core", 4));
        place.image().module(OLD, "extra/mlnx-ofa_kernel/wl_compat.ko", importing("wl_compat", 4));
        place.image().module(OLD, "extra/other/other.ko", importing("other", 5));
        return place;
    }

    private static ModuleBuilder importing(String name, int crc) {
        return built(name, OLD).importing("_printk", crc);
    }

    /** Returns the command with the image as an argument. */
    static String[] words(RebuildPlace place, String... more) {
        List<String> words = new ArrayList<>(
                List.of("apply", "--rebuild", "--root", place.image().root().toString()));
        words.addAll(List.of("--bundle", place.bundle().toString()));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    private WholeRun apply(String... more) {
        return WholeRun.with(place.environment(), words(place, more));
    }

    private WholeRun weaklink(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--root", root));
        return WholeRun.with(place.environment(), all.toArray(String[]::new));
    }

    private SortedMap<String, String> modules() throws IOException {
        SortedMap<String, String> all = TreeSnapshot.of(place.image().root());
        all.keySet().removeIf(path -> path.startsWith("var/") || path.startsWith("run"));
        return all;
    }

    @Test
    void writesNothingOnADryRun() throws IOException {
        SortedMap<String, String> before = TreeSnapshot.of(place.image().root());
        assertThat(apply("--dry-run").status()).isEqualTo(1);
        assertThat(TreeSnapshot.of(place.image().root())).isEqualTo(before);
    }

    /** The kept build is installed again, as after an interruption between the build and the installation. */
    @Test
    void undoAndRepetitionRestoreTheSameFiles() throws IOException {
        SortedMap<String, String> before = modules();
        assertThat(apply().status()).isZero();
        SortedMap<String, String> after = modules();
        assertThat(apply().status()).isZero();
        assertThat(modules()).isEqualTo(after);
        assertThat(weaklink("undo").status()).isZero();
        assertThat(modules()).isEqualTo(before);
        assertThat(apply().status()).isZero();
        assertThat(modules()).isEqualTo(after);
        assertThat(weaklink("undo").status()).isZero();
        assertThat(modules()).isEqualTo(before);
    }

    @Test
    void refusesToUndoWhileItRuns() throws IOException {
        assertThat(WholeRun.with(place.environment(), words(place)).status()).isZero();
        Path file = TransactionGroup.lockFile(Root.of(place.image().root()));

        try (LockFile lock = LockFile.acquire(file, "weaklink apply", Duration.ZERO, holder -> {})) {
            assertThat(lock).isNotNull();
            WholeRun undo = WholeRun.of("undo", "--root", root);
            assertThat(undo.err().replaceAll("[0-9]+", "N"))
                    .isEqualTo("weaklink: process N is rebuilding; run undo when it has finished\n");
            assertThat(undo.status()).isEqualTo(2);
        }
        assertThat(WholeRun.of("undo", "--root", root).status()).isZero();
    }
}
