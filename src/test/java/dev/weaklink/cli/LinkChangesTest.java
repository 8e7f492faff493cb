package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.links.plan.LinkDefect;
import dev.weaklink.report.Schemas;
import dev.weaklink.system.initramfs.CpioWriter;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export.Table;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.SymversBuilder.Kind;
import dev.weaklink.testing.SymversBuilder.Row;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands that look after links, on small images and with the real depmod. */
class LinkChangesTest {
  private static final String OLD = "5.14.0-1.el9";
  private static final String NEW = "5.14.0-2.el9";

  @TempDir Path directory;
  private TreeBuilder image;

  @BeforeEach
  void installKernels() throws IOException {
    ExternalTool.orSkip("depmod");
    image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
    install(OLD, 5);
    install(NEW, 5);
  }

  private void install(String release, int printk) {
    image
        .module(release, "kernel/own.ko", built("own", release))
        .modulesOrder(release, List.of("kernel/own.ko"))
        .builtin(release, List.of("kernel/inside.ko"))
        .file(
            "lib/modules/" + release + "/modules.builtin.modinfo",
            "inside.license=GPL\0".getBytes(StandardCharsets.UTF_8))
        .symvers(SymversPlace.MODULES_XZ, release, symvers(printk));
  }

  private static SymversBuilder symvers(int printk) {
    return new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
        .kernel("module_layout", Kind.EXPORT_SYMBOL, 0x11223344)
        .kernel("_printk", Kind.EXPORT_SYMBOL, printk);
  }

  private static ModuleBuilder built(String name, String release) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
  }

  private WholeRun run(String... words) {
    List<String> all = new ArrayList<>(List.of(words));
    all.add("--root");
    all.add(image.root().toString());
    return WholeRun.of(all.toArray(new String[0]));
  }

  private Path link(String place) {
    return image.modules(NEW).resolve("weak-updates").resolve(place);
  }

  private void link(String place, String target) throws IOException {
    Files.createDirectories(link(place).getParent());
    Files.createSymbolicLink(link(place), Path.of(target));
  }

  @Test
  void applyMakesTheLinkAndDepmodFindsIt() throws IOException {
    image.module(OLD, "extra/demo/a.ko", built("a", OLD).importing("_printk", 5));
    WholeRun run = run("apply");
    assertThat(run.messages())
        .containsExactly(
            "done as transaction 1; to take it back: weaklink undo 1 --root " + image.root());
    assertThat(run.out()).startsWith(NEW + ": demo: 1 link made\n");
    assertThat(run.status()).isZero();
    assertThat(Files.readSymbolicLink(link("demo/a.ko")))
        .isEqualTo(Path.of("/lib/modules/" + OLD + "/extra/demo/a.ko"));
    assertThat(Files.readString(image.modules(NEW).resolve("modules.dep")))
        .contains("weak-updates/demo/a.ko:");
    assertThat(run("apply").messages()).isEmpty();
  }

  @Test
  void linksOfAKernelThatDoesNotExistAreNotCalledInOrder() {
    WholeRun run = run("status", "--kernel", "9.9");
    assertThat(run.messages())
        .containsExactly("9.9: no such kernel is installed; installed: " + OLD + ", " + NEW);
    assertThat(run.status()).isEqualTo(3);
    WholeRun repair = run("repair", "--dry-run", "--kernel", "9.9");
    assertThat(repair.status()).isEqualTo(3);
  }

  @Test
  void undoRestoresAndIsUndoneByItsNumberOnly() throws IOException {
    ExternalTool.orSkip("depmod").run("-b", image.root().toString(), NEW);
    List<String> before = listing();
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    run("apply");
    WholeRun undone = run("undo");
    assertThat(undone.out()).isEqualTo(NEW + ": a: 1 link removed\n");
    assertThat(undone.status()).isZero();
    Files.delete(image.modules(OLD).resolve("extra/a.ko"));
    Files.delete(image.modules(OLD).resolve("extra"));
    assertThat(listing()).isEqualTo(before);
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    WholeRun again = run("undo");
    assertThat(again).isEqualTo(new WholeRun(0, "", "weaklink: nothing to undo\n"));
    assertThat(link("a.ko")).doesNotExist();
    assertThat(run("undo", "2").status()).isZero();
    assertThat(link("a.ko")).isSymbolicLink();
    assertThat(run("undo", "--dry-run").out()).startsWith("    ").contains("weak-updates/a.ko: ");
    assertThat(run("history").out().lines())
        .hasSize(3)
        .anyMatch(line -> line.startsWith("2  ") && line.endsWith("(undoes 1)"));
  }

  /** depmod sees again what 'repair' had removed, and leaf would no longer load. */
  @Test
  void undoNamesWhatItPutsBackAndBreaksOthers() throws IOException {
    image
        .symvers(
            SymversPlace.MODULES_XZ,
            NEW,
            symvers(5).row(new Row(10, "core_a", "kernel/core", Kind.EXPORT_SYMBOL, null)))
        .module(NEW, "kernel/core.ko", built("core", NEW).exporting("core_a", Table.NORMAL, 10))
        .module(NEW, "kernel/leaf.ko", built("leaf", NEW).importing("core_a", 10))
        .module(OLD, "extra/core.ko", built("core", OLD).exporting("core_a", Table.NORMAL, 20))
        .file(
            "etc/depmod.d/dist.conf",
            "search extra weak-updates built-in\n".getBytes(StandardCharsets.UTF_8));
    String place = "/lib/modules/" + NEW + "/weak-updates/core.ko";
    link("core.ko", "../../" + OLD + "/extra/core.ko");
    String settings = image.root().resolve("etc/depmod.d").toString();
    ExternalTool.orSkip("depmod").run("-C", settings, "-b", image.root().toString(), NEW);
    assertThat(run("repair", place).status()).isZero();
    WholeRun undone = run("undo");
    assertThat(link("core.ko")).isSymbolicLink();
    assertThat(undone.status()).isEqualTo(1);
    assertThat(undone.err())
        .contains(place + ": would load, but 1 module would no longer load with it: leaf\n")
        .endsWith("Next: weaklink plan --root " + image.root() + "\n");
    assertThat(run("undo", "-q", "2")).isEqualTo(new WholeRun(0, "", ""));
  }

  /** As weak-modules leaves it: the link is there, and modprobe loads the kernel's own module. */
  @Test
  void applyMakesDepmodChooseTheLinkAndUndoTakesThatBack() throws IOException {
    image.module(NEW, "kernel/a.ko", built("a", NEW));
    image.module(OLD, "extra/demo/a.ko", built("a", OLD).importing("_printk", 5));
    image.file("etc/hostname", new byte[0]);
    Path file = image.root().resolve("etc/depmod.d/weaklink.conf");
    WholeRun plain = run("apply", "--kernel", NEW);
    assertThat(plain.status()).isEqualTo(1);
    assertThat(dep()).contains("kernel/a.ko:").doesNotContain("weak-updates/demo/a.ko:");
    assertThat(file).doesNotExist();

    WholeRun run = run("apply", "--depmod-override", "--kernel", NEW);
    assertThat(run.status()).isZero();
    assertThat(Files.readString(file)).isEqualTo("# by weaklink\noverride a * weak-updates/demo\n");
    assertThat(dep()).contains("weak-updates/demo/a.ko:").doesNotContain("kernel/a.ko:");
    assertThat(run("plan", "--kernel", NEW, "--units").out())
        .endsWith(" loads a (extra/demo) by a link\n");
    assertThat(run("apply", "--depmod-override", "--kernel", NEW).messages()).isEmpty();
    assertThat(run("history", "-v").out()).contains("weaklink.conf: none => 2 lines");

    assertThat(run("undo", "2").status()).isZero();
    assertThat(file.getParent()).doesNotExist();
    assertThat(dep()).contains("kernel/a.ko:");
  }

  private String dep() throws IOException {
    return Files.readString(image.modules(NEW).resolve("modules.dep"));
  }

  @Test
  void linesThatOthersWroteStay() throws IOException {
    image.module(NEW, "kernel/a.ko", built("a", NEW));
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    image.depmodConfig("weaklink.conf", "override b * extra");
    Path file = image.root().resolve("etc/depmod.d/weaklink.conf");
    String before = Files.readString(file);
    assertThat(run("apply", "--depmod-override", "--kernel", NEW).status()).isZero();
    assertThat(Files.readString(file).lines())
        .containsExactly("override b * extra", "override a * weak-updates");
    Files.writeString(file, before + "override c * extra\n");
    assertThat(run("undo").status()).isEqualTo(4);
    assertThat(run("undo", "--force").status()).isZero();
    assertThat(Files.readString(file)).isEqualTo(before);
  }

  @Test
  void anImageWithoutEtcIsNamed() {
    image.module(NEW, "kernel/a.ko", built("a", NEW));
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    WholeRun run = run("apply", "--depmod-override", "--kernel", NEW);
    assertThat(run.status()).isEqualTo(4);
    assertThat(run.err())
        .contains(
            "/etc/depmod.d/weaklink.conf: there is no directory /etc in " + image.root() + ";");
  }

  @Test
  void historyOfAFreshImageIsEmptyAndMakesNothing() throws IOException {
    List<String> before = listing();
    WholeRun run = run("history");
    assertThat(run).isEqualTo(new WholeRun(0, "", "weaklink: no transactions yet\n"));
    assertThat(run("undo")).isEqualTo(new WholeRun(0, "", "weaklink: nothing to undo\n"));
    assertThat(run("undo", "--dry-run").status()).isZero();
    assertThat(run("undo", "1").status()).isEqualTo(2);
    assertThat(listing()).isEqualTo(before);
    assertThat(image.root().resolve("var")).doesNotExist();
    assertThat(image.root().resolve("run")).doesNotExist();
  }

  @Test
  void historyIsAlsoForPrograms() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    assertThat(run("apply", "-q").out()).isEmpty();
    Path file = directory.resolve("history.json");

    assertThat(run("history", "--format", "json", "-o", file.toString()).out()).isEmpty();

    String json = Files.readString(file);
    assertThat(Schemas.problems(json)).isEmpty();
    assertThat(json)
        .contains(
            "\"number\":1,", "\"state\":\"done\",", "weak-updates/a.ko\",\"after\":{\"link\":");
    assertThat(run("history", "-q")).isEqualTo(new WholeRun(0, "", ""));
    assertThat(run("undo", "-q")).isEqualTo(new WholeRun(0, "", ""));
    assertThat(link("a.ko")).doesNotExist();
  }

  @Test
  void weakUpdatesThatIsALinkLeadsNowhere() throws IOException {
    Path outside = Files.createDirectory(directory.resolve("outside"));
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    Files.createSymbolicLink(image.modules(NEW).resolve("weak-updates"), outside);
    WholeRun run = run("apply");
    assertThat(run.status()).isEqualTo(4);
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void auditNamesEveryDefect() throws IOException {
    image.module(OLD, "extra/good.ko", built("good", OLD).importing("_printk", 5));
    image.module(OLD, "extra/bad.ko", built("bad", OLD).importing("_printk", 6));
    image.module(NEW, "extra/self.ko", built("self", NEW));
    image.file("opt/other.ko", built("other", OLD).build());
    link("good.ko", "/lib/modules/" + OLD + "/extra/good.ko");
    link("bad.ko", "/lib/modules/" + OLD + "/extra/bad.ko");
    link("gone.ko", "/lib/modules/" + OLD + "/extra/gone.ko");
    link("lost.ko", "/opt/lost.ko");
    link("other.ko", "/opt/other.ko");
    link("self.ko", "/lib/modules/" + NEW + "/extra/self.ko");
    link("host.ko", image.root() + "/lib/modules/" + OLD + "/extra/good.ko");
    String listed = "weak-updates/good.ko:\nweak-updates/bad.ko:\nweak-updates/other.ko:\n";
    image.file("lib/modules/" + NEW + "/modules.dep", listed.getBytes(StandardCharsets.UTF_8));
    String at = "/lib/modules/" + NEW + "/weak-updates/";
    String old = "/lib/modules/" + OLD + "/extra/";
    assertThat(
            Stream.of("good.ko", "bad.ko", "gone.ko", "lost.ko", "other.ko", "host.ko", "self.ko")
                .map(this::listed))
        .contains(
            at + "good.ko -> " + old + "good.ko",
            at + "bad.ko -> " + old + "bad.ko  [incompatible]",
            at + "gone.ko -> " + old + "gone.ko  [left-behind]",
            at + "lost.ko -> /opt/lost.ko  [dangling]",
            at + "other.ko -> /opt/other.ko  [foreign-tree, undetermined]",
            at + "host.ko -> " + image.root() + old + "good.ko  [leaves-image]")
        .anyMatch(line -> line.startsWith(at + "self.ko") && line.contains("own-kernel"));
    assertThat(run("status").status()).isEqualTo(1);
    assertThat(Schemas.problems(run("status", "--format", "json").out())).isEmpty();
  }

  /** A link with the ids of what is wrong with it. */
  private String listed(String place) {
    String path = "/lib/modules/" + NEW + "/weak-updates/" + place + " -> ";
    List<String> lines = run("status", "-v").out().lines().toList();
    int at = 0;
    while (!lines.get(at).startsWith(path)) {
      at++;
    }
    List<String> defects = new ArrayList<>();
    for (int i = at + 1; lines.get(i).startsWith("    "); i++) {
      String id = lines.get(i).strip().split(": ")[0];
      if (Stream.of(LinkDefect.values()).anyMatch(defect -> defect.id().equals(id))) {
        defects.add(id);
      }
    }
    String ids = defects.isEmpty() ? "" : "  [" + String.join(", ", defects) + "]";
    return lines.get(at) + ids;
  }

  @Test
  void aLinkToADirectoryIsOneAndIsNotRemoved() throws IOException {
    image.module(OLD, "extra/demo/a.ko", built("a", OLD).importing("_printk", 5));
    link("demo", "/lib/modules/" + OLD + "/extra/demo");
    assertThat(listed("demo")).endsWith("[link-to-directory]");
    assertThat(run("repair").status()).isEqualTo(1);
    assertThat(link("demo")).isSymbolicLink();
  }

  @Test
  void aLinkThatDepmodHasNotSeenIsSaidSoUntilItRuns() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    link("a.ko", "/lib/modules/" + OLD + "/extra/a.ko");
    image.file("lib/modules/" + NEW + "/modules.dep", "kernel/own.ko:\n".getBytes());
    assertThat(listed("a.ko")).endsWith("[unseen]");
    assertThat(run("status").status()).isEqualTo(1);
    image.file("lib/modules/" + NEW + "/modules.dep", "weak-updates/a.ko:\n".getBytes());
    assertThat(listed("a.ko")).endsWith("/extra/a.ko");
    assertThat(run("status").status()).isZero();
  }

  @Test
  void aCompressedModuleThatDepmodCouldNotReadIsUnseen() throws IOException {
    image.module(
        OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5).build(), Compression.ZSTD);
    link("a.ko.zst", "/lib/modules/" + OLD + "/extra/a.ko.zst");
    image.file("lib/modules/" + NEW + "/modules.dep", "kernel/own.ko:\n".getBytes());
    assertThat(listed("a.ko.zst")).endsWith("[unseen]");
  }

  @Test
  void aLinkBesideABuildOfTheKernelsOwnIsShadowed() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    image.module(NEW, "updates/a.ko", built("a", NEW).importing("_printk", 5));
    link("a.ko", "/lib/modules/" + OLD + "/extra/a.ko");
    assertThat(listed("a.ko")).contains("[shadowed");
    assertThat(run("repair", "--dry-run").status()).isEqualTo(1);
    assertThat(run("apply").status()).isZero();
    assertThat(link("a.ko")).doesNotExist();
    assertThat(run("undo").status()).isZero();
    assertThat(run("repair").status()).isZero();
    assertThat(link("a.ko")).doesNotExist();
  }

  @Test
  void aLinkThatDepmodWouldNotChooseIsUnused() throws IOException {
    image.module(OLD, "extra/own.ko", built("own", OLD).importing("_printk", 5));
    image.depmodConfig("dist.conf", "search updates built-in weak-updates");
    link("own.ko", "/lib/modules/" + OLD + "/extra/own.ko");
    assertThat(listed("own.ko")).endsWith("[unused]");
  }

  @Test
  void aModuleForANewerKernelIsNoDefectIfItLoads() throws IOException {
    image.module("5.14.0-7.el9", "extra/a.ko", built("a", "5.14.0-7.el9").importing("_printk", 5));
    link("a.ko", "/lib/modules/5.14.0-7.el9/extra/a.ko");
    image.file("lib/modules/" + NEW + "/modules.dep", "weak-updates/a.ko:\n".getBytes());
    assertThat(listed("a.ko")).endsWith("[newer-kernel]");
    assertThat(run("status").out()).endsWith("1 link, none defective\n");
    assertThat(run("status").status()).isZero();
    assertThat(run("repair").status()).isZero();
    assertThat(link("a.ko")).isSymbolicLink();
  }

  @Test
  void ourOwnApplyLeavesNothingForTheAuditToObjectTo() throws IOException {
    image.module("5.14.0-7.el9", "extra/a.ko", built("a", "5.14.0-7.el9").importing("_printk", 5));
    assertThat(run("apply").status()).isZero();
    assertThat(listed("a.ko")).endsWith("[newer-kernel]");
    assertThat(run("status").status()).isZero();
  }

  @Test
  void depmodThatNeverRanIsMadeUpForByApplyAndByRepair() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    for (String[] command : new String[][] {{"apply"}, {"repair"}}) {
      link("a.ko", "/lib/modules/" + OLD + "/extra/a.ko");
      image.modulesDep(NEW, "kernel/own.ko");
      assertThat(run("plan").status()).isEqualTo(1);
      assertThat(run("status").status()).isEqualTo(1);
      assertThat(run(command).status()).isZero();
      assertThat(Files.readString(image.modules(NEW).resolve("modules.dep")))
          .contains("weak-updates/a.ko:");
      assertThat(run("plan").status()).isZero();
      assertThat(run("undo").messages())
          .as("no link was changed, so there is nothing to undo")
          .containsExactly("nothing to undo");
      Files.delete(link("a.ko"));
    }
  }

  @Test
  void aLinkThatIsGoneAndStillListedIsSaidAndRepaired() throws IOException {
    Files.createDirectories(link("x").getParent());
    image.modulesDep(NEW, "kernel/own.ko", "weak-updates/gone.ko");
    WholeRun audit = run("status");
    assertThat(audit.messages())
        .containsExactly(
            NEW
                + ": depmod was not run when links were removed; modules.dep still has /lib/modules/"
                + NEW
                + "/weak-updates/gone.ko");
    assertThat(audit.status()).isEqualTo(1);
    assertThat(run("repair").out()).isEqualTo("depmod " + NEW + "\n");
    assertThat(run("status").status()).isZero();
  }

  @Test
  void whoeverChangesAModuleOfAnInitramfsIsToldHowToRenewIt() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    String inside = "usr/lib/modules/" + NEW + "/weak-updates/a.ko";
    image.file("boot/initramfs-" + NEW + ".img", CpioWriter.holding(inside, new byte[8]));
    image.file("usr/bin/dracut", new byte[0]);
    Files.setPosixFilePermissions(
        image.root().resolve("usr/bin/dracut"), PosixFilePermissions.fromString("rwxr-xr-x"));
    String advice = "dracut -f /boot/initramfs-" + NEW + ".img " + NEW;

    assertThat(run("apply").err()).contains(advice);
    assertThat(run("undo", "--no-initramfs").err()).doesNotContain("dracut");
    assertThat(run("undo", "2").err()).contains(advice);
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 6));
    assertThat(run("repair").err()).contains(advice);
    assertThat(link("a.ko")).doesNotExist();
  }

  @Test
  void repairRemovesOnlyWhatIsProven() throws IOException {
    image.module(OLD, "extra/bad.ko", built("bad", OLD).importing("_printk", 6));
    image.file("opt/other.ko", built("other", OLD).build());
    link("bad.ko", "/lib/modules/" + OLD + "/extra/bad.ko");
    link("gone.ko", "/lib/modules/" + OLD + "/extra/gone.ko");
    link("lost.ko", "/opt/lost.ko");
    link("other.ko", "/opt/other.ko");
    List<String> before = listing();
    assertThat(run("repair", "--dry-run").out().lines()).hasSize(2);
    assertThat(listing()).isEqualTo(before);
    assertThat(run("repair").status()).isEqualTo(1);
    assertThat(link("bad.ko")).doesNotExist();
    assertThat(Files.exists(link("gone.ko"), LinkOption.NOFOLLOW_LINKS)).isFalse();
    assertThat(Files.exists(link("lost.ko"), LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(link("other.ko")).isSymbolicLink();
  }

  @Test
  void aNamedLinkIsRemovedWhateverItIs() throws IOException {
    link("lost.ko", "/opt/lost.ko");
    String path = "/lib/modules/" + NEW + "/weak-updates/lost.ko";
    assertThat(run("repair", path).status()).isZero();
    assertThat(Files.exists(link("lost.ko"), LinkOption.NOFOLLOW_LINKS)).isFalse();
    assertThat(run("repair", path).status()).isEqualTo(2);
  }

  @Test
  void linksOfAKernelThatIsGoneAreFound() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD));
    Path left = image.modules("5.14.0-9.el9").resolve("weak-updates/a.ko");
    Files.createDirectories(left.getParent());
    Files.createSymbolicLink(left, Path.of("/lib/modules/" + OLD + "/extra/a.ko"));
    assertThat(run("status", "-v").out()).contains("    only-links: ");
    assertThat(run("repair").status()).isZero();
    assertThat(Files.exists(left, LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  /** Everything but the journal and the lock, with what links say and files hold. */
  private List<String> listing() throws IOException {
    List<String> entries = new ArrayList<>();
    try (Stream<Path> paths = Files.walk(image.root())) {
      for (Path path : paths.sorted().toList()) {
        String inside = image.root().relativize(path).toString();
        if (!inside.startsWith("var") && !inside.startsWith("run")) {
          entries.add(inside + " " + content(path));
        }
      }
    }
    return entries;
  }

  private static String content(Path path) throws IOException {
    if (Files.isSymbolicLink(path)) {
      return Files.readSymbolicLink(path).toString();
    }
    return Files.isDirectory(path) ? "" : "" + Arrays.hashCode(Files.readAllBytes(path));
  }
}
