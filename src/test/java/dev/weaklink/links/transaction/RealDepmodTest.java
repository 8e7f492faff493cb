package dev.weaklink.links.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weaklink.links.transaction.TransactionRunner.UndoRequest;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions with the machine's own depmod. */
class RealDepmodTest {
    private static final String OLD = SmallImage.OLD;
    private static final String NEW = SmallImage.NEW;

    @TempDir
    Path directory;

    private Path image;

    @BeforeEach
    void findDepmod() throws IOException {
        ExternalTool.orSkip("depmod");
        image = directory.toRealPath();
    }

    private static TreeBuilder fill(TreeBuilder tree) {
        return tree.module(OLD, "extra/m.ko", module("m"))
                .module(OLD, "extra/n.ko", module("n"))
                .module(NEW, "kernel/drivers/m.ko", module("m"))
                .module(NEW, "kernel/drivers/o.ko", module("o"))
                .modulesOrder(NEW, List.of("kernel/drivers/o.ko", "kernel/drivers/m.ko"))
                .builtin(NEW, List.of("kernel/fs/ext4/ext4.ko"));
    }

    private static ModuleBuilder module(String name) {
        return ModuleBuilder.typical(Machine.X86_64, name).modInfo("alias=of_" + name);
    }

    private TransactionRunner runner() throws IOException {
        return new TransactionRunner(Root.of(image), TransactionSettings.DEFAULT, TransactionListener.NONE);
    }

    static LinkTransaction links(String modules) {
        return new LinkTransaction(
                "weaklink apply",
                List.of(
                        new Change.PutLink(
                                modules + "/" + NEW + "/weak-updates/m.ko", modules + "/" + OLD + "/extra/m.ko"),
                        new Change.PutLink(
                                modules + "/" + NEW + "/weak-updates/n.ko", modules + "/" + OLD + "/extra/n.ko")),
                List.of(NEW),
                List.of());
    }

    private List<String> dependencies(TreeBuilder tree) throws IOException {
        return Files.readAllLines(tree.modules(NEW).resolve("modules.dep"));
    }

    @Test
    void makesTheIndexThatDepmodWouldMakeInsideAnImage() throws Exception {
        TreeBuilder tree = fill(TreeBuilder.in(image)).depmodConfig("a.conf", "search updates weak-updates built-in");
        runner().run(links("/lib/modules"));
        assertThat(dependencies(tree))
                .containsExactlyInAnyOrder("kernel/drivers/o.ko:", "weak-updates/m.ko:", "weak-updates/n.ko:");
        assertThat(tree.modules(NEW).resolve("modules.alias"))
                .content()
                .contains("alias of_m m", "alias of_n n", "alias of_o o");
        assertThat(tree.modules(NEW).resolve("modules.builtin.bin")).isNotEmptyFile();
    }

    @Test
    void appliesOverridesOfTheImage() throws Exception {
        TreeBuilder tree = fill(TreeBuilder.in(image))
                .depmodConfig("a.conf", "search built-in weak-updates", "override n * weak-updates");
        runner().run(links("/lib/modules"));
        assertThat(dependencies(tree))
                .containsExactlyInAnyOrder("kernel/drivers/o.ko:", "kernel/drivers/m.ko:", "weak-updates/n.ko:");
    }

    @Test
    void indexesModulesThatAreOnlyBelowUsr() throws Exception {
        TreeBuilder tree = fill(TreeBuilder.in(image).mergedUsr());
        runner().run(links("/usr/lib/modules"));
        assertThat(dependencies(tree)).contains("weak-updates/n.ko:");
        assertThat(image.resolve("lib")).doesNotExist();
    }

    @Test
    void restoresDepmodsFilesByteForByteOnUndo() throws Exception {
        TreeBuilder tree = fill(TreeBuilder.in(image));
        SortedMap<String, String> before = TreeSnapshot.of(tree.modules(NEW));
        runner().run(links("/lib/modules"));
        assertThat(TreeSnapshot.of(tree.modules(NEW))).isNotEqualTo(before);
        runner().undo(new UndoRequest("weaklink undo", 1, false, List.of()));
        assertThat(TreeSnapshot.of(tree.modules(NEW))).isEqualTo(before);
    }

    @Test
    void printsDepmodsMessagesIfItFails() throws Exception {
        TreeBuilder tree = fill(TreeBuilder.in(image));
        ModuleBuilder p = module("p").exporting("of_p", Export.Table.GPL, 1).importing("of_q", 1);
        ModuleBuilder q = module("q").exporting("of_q", Export.Table.GPL, 1).importing("of_p", 1);
        tree.module(NEW, "kernel/p.ko", p).module(NEW, "kernel/q.ko", q);
        SortedMap<String, String> before = TreeSnapshot.of(tree.modules(NEW));
        TransactionRunner runner = runner();
        NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.run(links("/lib/modules")));
        assertThat(e).isNotNull();
        assertThat(e.outcome()).isEqualTo(NotDoneException.FailureState.ROLLED_BACK);
        assertThat(e.details()).anyMatch(line -> line.contains("cycle"));
        assertThat(TreeSnapshot.of(tree.modules(NEW))).isEqualTo(before);
    }

    @Test
    void refusesExternalModulesOfAnImage() throws Exception {
        TreeBuilder tree = fill(TreeBuilder.in(image));
        tree.file("opt/modules/x.ko", module("x").build())
                .depmodConfig("a.conf", "search external built-in", "external * /opt/modules");
        TransactionRunner runner = runner();
        NotDoneException e = catchThrowableOfType(NotDoneException.class, () -> runner.run(links("/lib/modules")));
        assertThat(e)
                .hasMessage("/opt/modules/x.ko is in an external directory of depmod.d, for which weaklink cannot run"
                        + " depmod; run depmod yourself; for a --root directory, use chroot; everything is as it was"
                        + " before");
    }

    @Test
    void runsDepmodOnTheDirectoryItselfOnTheRunningSystem() throws Exception {
        ExternalTool.orSkip("unshare");
        assumeTrue(Files.isDirectory(Path.of("/usr/lib/modules")), "there is no /usr/lib/modules");
        TreeBuilder tree = fill(TreeBuilder.in(image));
        SortedMap<String, String> before = TreeSnapshot.of(tree.modules(NEW));
        // In a private mount namespace, the modules are the test's, and no other process sees the writes.
        String script = "mount --bind \"$1\" /usr/lib/modules && mount -t tmpfs none /var/lib"
                + " && mount -t tmpfs none /run || { echo no mount; exit 1; }; shift; exec \"$@\"";
        List<String> words = new ArrayList<>(List.of("unshare", "-m", "/bin/sh", "-c", script, "sh"));
        words.add(tree.modules(NEW).resolveSibling("").toString());
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(List.of("-cp", ChildProcess.classPath(), HostProcess.class.getName()));
        ExternalCommand.Result result =
                ExternalCommand.of(words, Duration.ofMinutes(1)).run();
        assumeTrue(
                !result.output().contains("unshare: ") && !result.output().contains("no mount"),
                "this process may not have mounts of its own: " + result.output());
        assertThat(result.lines())
                .as(result.output())
                .hasSize(4)
                .contains("kernel/drivers/o.ko:", "weak-updates/n.ko:", "undone");
        assertThat(TreeSnapshot.of(tree.modules(NEW))).isEqualTo(before);
    }
}
