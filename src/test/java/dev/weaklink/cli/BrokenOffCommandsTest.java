package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.CheckEngine;
import dev.weaklink.check.InitramfsInspector;
import dev.weaklink.check.KernelInspector;
import dev.weaklink.check.ModuleInspector;
import dev.weaklink.links.BrokenOff;
import dev.weaklink.links.FaultPoint;
import dev.weaklink.links.History;
import dev.weaklink.links.HistoryEntry;
import dev.weaklink.links.MemoryDirectory;
import dev.weaklink.links.TransactionSettings;
import dev.weaklink.links.TransactionState;
import dev.weaklink.links.TreeSnapshot;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import dev.weaklink.tree.WeakUpdates;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every command that changes links, broken off at every step of its transaction and then given
 * again: in the end all is as if it had not been broken off, and can be undone.
 */
class BrokenOffCommandsTest {
  private static final String OLD = "5.14.0-1.el9";
  private static final String NEW = "5.14.0-2.el9";

  /** A rebuild takes long; every so many steps are enough in a usual run. */
  private static final int REBUILD_STRIDE = Integer.getInteger("weaklink.rebuildStride", 9);

  @TempDir(factory = MemoryDirectory.class)
  Path directory;

  private Path root;

  @BeforeEach
  void findDepmod() throws IOException {
    ExternalTool.orSkip("depmod");
    directory = directory.toRealPath();
    root = directory.resolve("image");
  }

  /** One command, given with these faults. */
  private interface Given {
    WholeRun with(Services services) throws IOException;
  }

  /** The program as it is, but broken off at one of these points. */
  private record Faulty(FaultPoint faults) implements Services {
    private static final Wiring REAL = new Wiring();

    @Override
    public CheckEngine checkEngine() {
      return REAL.checkEngine();
    }

    @Override
    public ModuleInspector moduleInspector() {
      return REAL.moduleInspector();
    }

    @Override
    public KernelInspector kernelInspector() {
      return REAL.kernelInspector();
    }

    @Override
    public InitramfsInspector initramfsInspector() {
      return REAL.initramfsInspector();
    }

    @Override
    public TransactionSettings transactions() {
      return TransactionSettings.DEFAULT.withLockWait(Duration.ZERO).withFaults(faults);
    }
  }

  private Given words(String... words) {
    return reading("", words);
  }

  private Given reading(String stdin, String... words) {
    return services ->
        WholeRun.of(services, stdin.getBytes(StandardCharsets.UTF_8), Map.of(), words);
  }

  /** What a command may change, and what it must not. */
  private SortedMap<String, String> snapshot() throws IOException {
    SortedMap<String, String> all = TreeSnapshot.of(root);
    all.keySet().removeIf(path -> path.startsWith("var/") || path.startsWith("run"));
    return all;
  }

  private List<String> leftovers() throws IOException {
    return TreeSnapshot.of(root).keySet().stream()
        .filter(
            path -> {
              String name = path.substring(path.lastIndexOf('/', path.length() - 2) + 1);
              return name.startsWith(WeakUpdates.TEMPORARY)
                  || name.endsWith(".weaklink-new")
                  || name.endsWith(".new")
                  || name.equals("depmod/") && path.startsWith("var/")
                  || name.equals("reserve");
            })
        .toList();
  }

  private void copy(Path from, Path to) throws IOException {
    DurableFiles.deleteTree(to);
    assertThat(
            ExternalCommand.of(
                    List.of("cp", "-a", from.toString(), to.toString()), Duration.ofMinutes(1))
                .run()
                .succeeded())
        .isTrue();
  }

  /**
   * Breaks a command off at every {@code stride}th point.
   *
   * @return how many points there were
   */
  private int everywhere(Given command, int status, int stride, boolean undoable)
      throws IOException {
    Path template = directory.resolve("template");
    copy(root, template);
    SortedMap<String, String> before = snapshot();
    assertThat(command.with(new Faulty(FaultPoint.NONE)).status()).isEqualTo(status);
    SortedMap<String, String> after = snapshot();
    assertThat(after).isNotEqualTo(before);
    int point = 1;
    for (; ; point += stride) {
      copy(template, root);
      BrokenOff faults = BrokenOff.at(point);
      if (!isBrokenOff(command, faults)) {
        return point;
      }
      if (isUndone()) {
        assertThat(snapshot()).as("its last step is done: %s", faults.where()).isEqualTo(after);
        continue;
      }
      assertLookingOnlyLooks(faults);
      WholeRun again = command.with(new Faulty(FaultPoint.NONE));
      assertThat(again.status()).as("%s: %s", faults.where(), again).isEqualTo(status);
      assertThat(snapshot()).as("broken off at %s", faults.where()).isEqualTo(after);
      assertThat(leftovers()).as("broken off at %s", faults.where()).isEmpty();
      if (undoable) {
        WholeRun undo = words("undo", "--root", root.toString()).with(new Wiring());
        assertThat(undo.status()).as("undo after %s: %s", faults.where(), undo).isZero();
        assertThat(snapshot()).as("undone after %s", faults.where()).isEqualTo(before);
      }
    }
  }

  private static boolean isBrokenOff(Given command, BrokenOff faults) throws IOException {
    try {
      command.with(new Faulty(faults));
      return false;
    } catch (BrokenOff.Kill kill) {
      return true;
    }
  }

  /** An undo that has come to its end; undoing again would be another one. */
  private boolean isUndone() throws IOException {
    HistoryEntry last = History.read(Root.of(root)).last();
    return last != null && last.undoes() > 0 && last.state() == TransactionState.DONE;
  }

  private void assertLookingOnlyLooks(BrokenOff faults) throws IOException {
    SortedMap<String, String> broken = TreeSnapshot.of(root);
    HistoryEntry interrupted = History.interrupted(Root.of(root));
    String base = root.toString();
    for (Given look : List.of(words("plan", "--root", base), words("links", "audit", "--root", base))) {
      WholeRun run = look.with(new Wiring());
      if (interrupted != null) {
        assertThat(run.err())
            .as(faults.where())
            .contains("transaction " + interrupted.number() + ": was interrupted (");
        assertThat(run.status()).as("%s: %s", faults.where(), run).isEqualTo(1);
      }
    }
    assertThat(TreeSnapshot.of(root)).as("looked at %s", faults.where()).isEqualTo(broken);
  }

  private TreeBuilder redHat() throws IOException {
    TreeBuilder image = TreeBuilder.in(Files.createDirectories(root));
    for (String release : List.of(OLD, NEW)) {
      image
          .module(release, "kernel/own.ko", built("own", release))
          .modulesOrder(release, List.of("kernel/own.ko"))
          .symvers(
              SymversPlace.MODULES_XZ,
              release,
              new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                  .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                  .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5));
    }
    return image
        .module(OLD, "extra/demo/a.ko", built("a", OLD).importing("_printk", 5))
        .module(OLD, "extra/demo/b.ko", built("b", OLD).importing("_printk", 5))
        .module(OLD, "extra/c/c.ko", built("c", OLD).importing("_printk", 6));
  }

  private static ModuleBuilder built(String name, String release) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
  }

  private String extra(String... places) {
    StringBuilder list = new StringBuilder();
    for (String place : places) {
      list.append(root).append("/lib/modules/" + OLD + "/extra/" + place + "\n");
    }
    return list.toString();
  }

  /** As each made or removed link takes several steps, there are many. */
  private static void assertMany(int points) {
    assertThat(points).as("points at which it was broken off").isGreaterThan(40);
  }

  @Test
  void apply() throws IOException {
    redHat().weakLink(NEW, "weak-updates/c/c.ko", OLD, "extra/c/c.ko");
    assertMany(everywhere(words("apply", "--root", root.toString()), 1, 1, true));
  }

  @Test
  void applyThatOnlyRunsDepmod() throws IOException {
    redHat().weakLink(NEW, "weak-updates/demo/a.ko", OLD, "extra/demo/a.ko");
    String b = "weak-updates/demo/b.ko";
    TreeBuilder.in(root).weakLink(NEW, b, OLD, "extra/demo/b.ko");
    DurableFiles.deleteTree(root.resolve("lib/modules/" + OLD + "/extra/c"));
    int points = everywhere(words("apply", "--root", root.toString()), 0, 1, false);
    assertThat(points).isGreaterThan(10);
    assertThat(History.read(Root.of(root)).entries()).as("no link changed").isEmpty();
  }

  @Test
  void undo() throws IOException {
    redHat().weakLink(NEW, "weak-updates/c/c.ko", OLD, "extra/c/c.ko");
    words("apply", "--root", root.toString()).with(new Wiring());
    assertMany(everywhere(words("undo", "--root", root.toString()), 0, 1, false));
  }

  @Test
  void undoByNumber() throws IOException {
    redHat();
    words("apply", "--root", root.toString()).with(new Wiring());
    assertThat(everywhere(words("undo", "1", "--root", root.toString()), 0, 3, false))
        .isGreaterThan(20);
  }

  @Test
  void repair() throws IOException {
    redHat()
        .weakLink(NEW, "weak-updates/c/c.ko", OLD, "extra/c/c.ko")
        .weakLink(NEW, "weak-updates/gone.ko", OLD, "extra/gone.ko")
        .weakLink(NEW, "weak-updates/demo/a.ko", OLD, "extra/demo/a.ko");
    assertMany(everywhere(words("links", "repair", "--root", root.toString()), 0, 1, true));
  }

  @Test
  void weakModules() throws IOException {
    redHat();
    String[] add = {"weak-modules", "--add-modules", "--no-initramfs", "--basedir", "" + root};
    assertMany(everywhere(reading(extra("demo/a.ko", "demo/b.ko"), add), 0, 1, true));

    reading(extra("demo/a.ko", "demo/b.ko"), add).with(new Wiring());
    Files.delete(root.resolve("lib/modules/" + OLD + "/extra/demo/a.ko"));
    DurableFiles.deleteTree(root.resolve("var"));
    add[1] = "--remove-modules";
    everywhere(reading(extra("demo/a.ko"), add), 0, 3, true);
  }

  @Test
  void weakModulesForAKernel() throws IOException {
    redHat();
    String base = root.toString();
    String[] words = {"weak-modules", "--add-kernel", NEW, "--no-initramfs", "--basedir", base};
    assertMany(everywhere(words(words), 0, 1, true));
  }

  @Test
  void weakModules2() throws IOException {
    SuseImage image =
        new SuseImage(directory).kernel(SuseRuns.OLD, 5).kernel(SuseRuns.NEW, 5);
    String a = image.module(SuseRuns.OLD, SuseRuns.ONE, "a", 5);
    String b = image.module(SuseRuns.OLD, SuseRuns.ONE, "b", 5);
    image.rpm.install(SuseRuns.ONE, a, b);
    String base = root.toString();
    assertMany(
        everywhere(
            words("weak-modules2", "--basedir", base, "--add-kmp", SuseRuns.ONE), 0, 2, true));
  }

  @Test
  void rebuildAndInstall() throws IOException {
    RebuildPlace place = RebuildPlace.in(directory);
    Given rebuild =
        services ->
            WholeRun.of(services, new byte[0], place.environment(), place.words("--install"));
    assertThat(everywhere(rebuild, 0, REBUILD_STRIDE, false)).isGreaterThan(20);
  }
}
