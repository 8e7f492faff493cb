package dev.weaklink.cli;

import static dev.weaklink.cli.CommandMatrix.NEW;
import static dev.weaklink.cli.CommandMatrix.OLD;
import static dev.weaklink.cli.CommandMatrix.reading;
import static dev.weaklink.cli.CommandMatrix.words;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.cli.CommandMatrix.Attempt;
import dev.weaklink.cli.CommandMatrix.Given;
import dev.weaklink.links.transaction.History;
import dev.weaklink.links.transaction.MemoryDirectory;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every command that changes links, interrupted at every step of its transaction and then repeated. The final state
 * must be the same as without the interruption, and must be undoable.
 */
@Tag("slow")
class InterruptedCommandsTest {
    /**
     * The number of steps from one interruption of a rebuild to the next. A rebuild takes long, so a usual run skips
     * steps.
     */
    private static final int REBUILD_STRIDE = Integer.getInteger("weaklink.rebuildStride", 9);

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private CommandMatrix matrix;
    private Path root;

    @BeforeEach
    void findDepmod() throws IOException {
        ExternalTool.orSkip("depmod");
        directory = directory.toRealPath();
        matrix = new CommandMatrix(directory);
        root = matrix.root();
    }

    private String extra(String... places) {
        StringBuilder list = new StringBuilder();
        for (String place : places) {
            list.append(root).append("/lib/modules/" + OLD + "/extra/" + place + "\n");
        }
        return list.toString();
    }

    /** Asserts that there were many points, because each link that is made or removed takes several steps. */
    private static void assertMany(int points) {
        assertThat(points).as("points at which it was broken off").isGreaterThan(40);
    }

    @Test
    void apply() throws IOException {
        matrix.redHat().weakLink(NEW, "weak-updates/c/c.ko", OLD, "extra/c/c.ko");
        assertMany(matrix.everywhere(words("apply", "--root", root.toString()), 1, 1, true));
    }

    @Test
    void applyThatOnlyRunsDepmod() throws IOException {
        matrix.redHat().weakLink(NEW, "weak-updates/demo/a.ko", OLD, "extra/demo/a.ko");
        String b = "weak-updates/demo/b.ko";
        TreeBuilder.in(root).weakLink(NEW, b, OLD, "extra/demo/b.ko");
        DurableFiles.deleteTree(root.resolve("lib/modules/" + OLD + "/extra/c"));
        int points = matrix.everywhere(words("apply", "--root", root.toString()), 0, 1, false);
        assertThat(points).isGreaterThan(10);
        assertThat(History.read(Root.of(root)).entries()).as("no link changed").isEmpty();
    }

    @Test
    void undo() throws IOException {
        matrix.redHat().weakLink(NEW, "weak-updates/c/c.ko", OLD, "extra/c/c.ko");
        words("apply", "--root", root.toString()).run();
        assertMany(matrix.everywhere(words("undo", "--root", root.toString()), 0, 1, false));
    }

    @Test
    void undoOfOnlyTheInterruptedTransaction() throws IOException {
        matrix.redHat();
        String base = root.toString();
        String[] first = {"weak-modules", "--add-modules", "--no-initramfs", "--basedir", base};
        reading(extra("demo/a.ko"), first).run();
        SortedMap<String, String> before = matrix.snapshot();
        CommandMatrix.copy(root, directory.resolve("kept"));
        Attempt apply = matrix.atFaultPoints(words("apply", "--root", base));
        int begun = 0;
        for (int point = 1; apply.at(point) != null; point++) {
            if (History.read(Root.of(root)).entry(2) != null) {
                begun++;
                assertThat(words("undo", "--root", base).run().status()).isZero();
                assertThat(matrix.snapshot()).as("point %s", point).isEqualTo(before);
            }
            CommandMatrix.copy(directory.resolve("kept"), root);
        }
        assertThat(begun).isGreaterThan(20);
    }

    @Test
    void undoByNumber() throws IOException {
        matrix.redHat();
        words("apply", "--root", root.toString()).run();
        assertThat(matrix.everywhere(words("undo", "1", "--root", root.toString()), 0, 3, false))
                .isGreaterThan(20);
    }

    @Test
    void repair() throws IOException {
        matrix.redHat()
                .weakLink(NEW, "weak-updates/c/c.ko", OLD, "extra/c/c.ko")
                .weakLink(NEW, "weak-updates/gone.ko", OLD, "extra/gone.ko")
                .weakLink(NEW, "weak-updates/demo/a.ko", OLD, "extra/demo/a.ko");
        assertMany(matrix.everywhere(words("repair", "--root", root.toString()), 0, 1, true));
    }

    @Test
    void repairOfOneLink() throws IOException {
        matrix.redHat().weakLink(NEW, "weak-updates/gone.ko", OLD, "extra/gone.ko");
        String link = "/lib/modules/" + NEW + "/weak-updates/gone.ko";
        Given repair = words("repair", link, "--root", root.toString());
        SortedMap<String, String> after = matrix.prepare(repair, 0);
        Attempt attempt = matrix.atFaultPoints(repair);
        Attempt unfinished = point -> {
            String where = attempt.at(point);
            boolean isDone = !Files.isSymbolicLink(root.resolve(link.substring(1)))
                    && History.interrupted(Root.of(root)) == null;
            return isDone ? null : where;
        };
        int point = 1;
        while (matrix.afterKill(unfinished, point, repair, 0, after, true)) {
            point++;
        }
        assertThat(point).as("points before it is done").isGreaterThan(20);
    }

    @Test
    void weakModules() throws IOException {
        matrix.redHat();
        String[] add = {"weak-modules", "--add-modules", "--no-initramfs", "--basedir", "" + root};
        assertMany(matrix.everywhere(reading(extra("demo/a.ko", "demo/b.ko"), add), 0, 1, true));

        reading(extra("demo/a.ko", "demo/b.ko"), add).run();
        Files.delete(root.resolve("lib/modules/" + OLD + "/extra/demo/a.ko"));
        DurableFiles.deleteTree(root.resolve("var"));
        add[1] = "--remove-modules";
        matrix.everywhere(reading(extra("demo/a.ko"), add), 0, 3, true);
    }

    @Test
    void weakModulesForAKernel() throws IOException {
        matrix.redHat();
        String base = root.toString();
        String[] words = {"weak-modules", "--add-kernel", NEW, "--no-initramfs", "--basedir", base};
        assertMany(matrix.everywhere(words(words), 0, 1, true));
    }

    @Test
    void weakModules2() throws IOException {
        SuseImage image = new SuseImage(directory).kernel(SuseRuns.OLD, 5).kernel(SuseRuns.NEW, 5);
        String a = image.module(SuseRuns.OLD, SuseRuns.ONE, "a", 5);
        String b = image.module(SuseRuns.OLD, SuseRuns.ONE, "b", 5);
        image.rpm.install(SuseRuns.ONE, a, b);
        String base = root.toString();
        assertMany(matrix.everywhere(words("weak-modules2", "--basedir", base, "--add-kmp", SuseRuns.ONE), 0, 2, true));
    }

    @Test
    void rebuildAndInstall() throws IOException {
        RebuildPlace place = RebuildPlace.in(directory);
        Given rebuild = services -> WholeRun.of(services, new byte[0], place.environment(), place.words("--install"));
        assertThat(matrix.everywhere(rebuild, 0, REBUILD_STRIDE, false)).isGreaterThan(20);
    }

    @Test
    void applyThatRebuilds() throws IOException {
        RebuildPlace place = ApplyRebuildTest.withOldModules(RebuildPlace.in(directory));
        ExternalTool.orSkip("depmod").run("-b", root.toString(), RebuildPlace.KERNEL);
        Given apply =
                services -> WholeRun.of(services, new byte[0], place.environment(), ApplyRebuildTest.words(place));
        assertThat(matrix.everywhere(apply, 0, REBUILD_STRIDE, true)).isGreaterThan(60);
    }
}
