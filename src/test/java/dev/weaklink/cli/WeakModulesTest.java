package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export.Table;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole runs in the manner of Red Hat's weak-modules, with the real depmod. */
class WeakModulesTest extends RedHatImage {
  @Test
  void addedModulesAreLinkedUnderTheirPathAsGivenAndSilently() throws IOException {
    extra("a", 5);
    assertThat(run(list("a"), "--add-modules")).isEqualTo(new WholeRun(0, "", ""));
    assertThat(Files.readSymbolicLink(link("a"))).isEqualTo(file("a"));
  }

  @Test
  void oneBadModuleKeepsTheWholeListFromBeingLinked() {
    extra("a", 5);
    extra("b", 6);
    WholeRun run = run(list("a", "b"), "--add-module", "--verbose");
    assertThat(run.status()).isZero();
    assertThat(run.out().lines())
        .contains(
            "Module b.ko from kernel "
                + OLD
                + " is not compatible with kernel "
                + NEW
                + " in symbols:  _printk",
            "Falling back weak-modules state for kernel " + NEW);
    assertThat(isLinked("a")).isFalse();
    assertThat(isLinked("b")).isFalse();
  }

  @Test
  void aNewKernelGetsThoseThatFit() {
    extra("a", 5);
    extra("b", 6);
    assertThat(run("", "--add-kernel", NEW).status()).isZero();
    assertThat(isLinked("a")).isTrue();
    assertThat(isLinked("b")).isFalse();
  }

  @Test
  void ofSeveralGroupsWithOneModuleInCommonThoseThatFitAreLinked() {
    image.module(OLD, "extra/demo/common.ko", exporter("common", "service"));
    user("first", 1);
    user("second", 1);
    assertThat(run("", "--add-kernel", NEW, "--verbose").out())
        .contains(compatible("common"), compatible("first"), compatible("second"));
    assertThat(isLinked("common") && isLinked("first") && isLinked("second")).isTrue();

    run("", "--remove-kernel", NEW);
    user("second", 2);
    run("", "--add-kernel", NEW);
    assertThat(isLinked("common") && isLinked("first")).isTrue();
    assertThat(isLinked("second")).isFalse();
  }

  @Test
  void ofAGroupThatDoesNotFitWhollyNothingIsLinked() {
    image.module(OLD, "extra/demo/common.ko", exporter("common", "service"));
    image.module(
        OLD,
        "extra/demo/user.ko",
        built("user", OLD).importing("service", 1).importing("_printk", 6));

    WholeRun run = run("", "--add-kernel", NEW, "--verbose");

    assertThat(run.out().lines())
        .containsExactly(
            refused("user", "_printk"),
            compatible("common"),
            "Falling back weak-modules state for kernel " + NEW);
    assertThat(isLinked("common")).isFalse();
    assertThat(isLinked("user")).isFalse();
  }

  @Test
  void whereStructModuleDiffersAllUnfitSymbolsAreNamedNoneTwiceAndItselfLast() {
    image.module(OLD, "extra/demo/common.ko", exporter("common", "service"));
    image.module(
        OLD,
        "extra/demo/user.ko",
        built("user", OLD)
            .changedVersion("module_layout", 1)
            .importing("gone", 1)
            .importing("service", 2)
            .importing("_printk", 6));

    assertThat(run(list("common", "user"), "--add-modules", "--verbose").out())
        .contains(refused("user", "gone service _printk module_layout") + "\n");
  }

  private static String refused(String name, String symbols) {
    String from = " from kernel " + OLD + " is not compatible with kernel " + NEW;
    return "Module " + name + ".ko" + from + " in symbols:  " + symbols;
  }

  @Test
  void ofTwoBuildsOfOneNameInGroupsTheFirstThatFitsIsLinked() {
    image.module(OLD, "extra/demo/common.ko", exporter("common", "service"));
    user("first", 1);
    image.module(OLD, "extra/other/first.ko", built("first", OLD).importing("service", 1));

    run("", "--add-kernel", NEW);

    assertThat(isLinked("common") && isLinked("first")).isTrue();
    assertThat(image.modules(NEW).resolve("weak-updates/other/first.ko")).doesNotExist();
  }

  private static ModuleBuilder exporter(String name, String symbol) {
    return built(name, OLD).exporting(symbol, Table.NORMAL, 1);
  }

  private void user(String name, int crc) {
    image.module(OLD, "extra/demo/" + name + ".ko", built(name, OLD).importing("service", crc));
  }

  private static String compatible(String name) {
    return "Module " + name + ".ko from kernel " + OLD + " is compatible with kernel " + NEW;
  }

  @Test
  void aLinkGoesOnceItsModuleIsGone() throws IOException {
    extra("a", 5);
    run(list("a"), "--add-modules");
    assertThat(run(list("a"), "--remove-modules").status()).isZero();
    assertThat(isLinked("a")).as("the file is still there").isTrue();
    String gone = list("a");
    Files.delete(file("a"));
    assertThat(run(gone, "--remove-modules").status()).isZero();
    assertThat(isLinked("a")).isFalse();
  }

  @Test
  void ofEveryKernelItIsSaidWhatBecomesOfALinkToARemovedModule() throws IOException {
    extra("a", 5);
    extra("b", 5);
    run(list("a"), "--add-modules");
    Files.delete(file("a"));

    assertThat(run(list("a", "b"), "--remove-modules", "--verbose").out().lines())
        .contains(
            "Removing compatible module a.ko from kernel " + NEW,
            "Skipping symlink " + link("b"),
            "Skipping symlink " + image.modules(OLD).resolve("weak-updates/demo/a.ko"));
  }

  @Test
  void aLinkToAModuleThatIsStillThereStaysAndIsCalledCompatible() {
    extra("a", 5);
    run(list("a"), "--add-modules");

    assertThat(run(list("a"), "--remove-modules", "--verbose").out())
        .contains(compatible("a") + "\n")
        .doesNotContain("Skipping symlink " + link("a"), "Removing");
  }

  @Test
  void withTheLinksOfAModuleThoseGoThatDoNotFitAnyMoreOnAnyKernel() throws IOException {
    String third = "5.14.0-3.el9";
    install(third, 5);
    extra("a", 5);
    extra("b", 5);
    run(list("a"), "--add-modules");
    run("", "--remove-kernel", third);
    run(list("b"), "--add-modules");
    install(third, 6);
    Files.delete(file("a"));

    assertThat(run(list("a"), "--remove-modules", "--verbose").out())
        .contains(
            refused("b", "_printk").replace(NEW, third),
            "Removing compatible module b.ko from kernel " + third,
            "Removing compatible module a.ko from kernel " + NEW);

    assertThat(isLinked("b")).isTrue();
    assertThat(image.modules(third).resolve("weak-updates/demo/b.ko")).doesNotExist();
  }

  @Test
  void allLinksOfARemovedKernelGo() {
    extra("a", 5);
    run(list("a"), "--add-modules");
    assertThat(run("", "--remove-kernel", NEW).status()).isZero();
    assertThat(isLinked("a")).isFalse();
  }

  @Test
  void aLinkThatCannotBeJudgedIsNotTakenAway() throws IOException {
    image.file(
        "lib/modules/" + OLD + "/extra/demo/z.ko", new byte[] {(byte) 0xfd, '7', 'z', 'X', 'Z', 0});
    Files.createDirectories(link("z").getParent());
    Files.createSymbolicLink(link("z"), file("z"));
    extra("a", 5);
    assertThat(run("", "--add-kernel", NEW).status()).isZero();
    assertThat(isLinked("z")).isTrue();
    assertThat(isLinked("a")).isTrue();
  }

  @Test
  void aDryRunWritesNothing() throws IOException {
    extra("a", 5);
    List<String> before = listing();
    assertThat(run(list("a"), "--add-modules", "--dry-run").status()).isZero();
    assertThat(run("", "--add-kernel", NEW, "--dry-run").status()).isZero();
    assertThat(run("", "--remove-kernel", NEW, "--dry-run").status()).isZero();
    assertThat(listing()).isEqualTo(before);
  }

  @Test
  void anAmbiguousOptionIsWrongUsage() {
    assertThat(run("", "--add").status()).isEqualTo(1);
    assertThat(run("", "--frobnicate").status()).isEqualTo(1);
    assertThat(run("").status()).isEqualTo(1);
  }

  @Test
  void aListWithoutLinesDoesNothing() throws IOException {
    List<String> before = listing();
    assertThat(run("\n\n", "--add-modules")).isEqualTo(new WholeRun(0, "", ""));
    assertThat(listing()).isEqualTo(before);
  }

  @Test
  void whatIsSaidAboutAListIsExactlyWhatScriptsLookFor() {
    extra("a", 5);
    extra("b", 6);
    extra("c", 7);
    String from = " from kernel " + OLD + " is ";
    assertThat(run(list("a", "b", "c"), "--add-modules", "--verbose").out().lines())
        .containsExactly(
            "Module b.ko" + from + "not compatible with kernel " + NEW + " in symbols:  _printk",
            "Module c.ko" + from + "not compatible with kernel " + NEW + " in symbols:  _printk",
            "Module a.ko" + from + "compatible with kernel " + NEW,
            "Falling back weak-modules state for kernel " + NEW,
            "/sbin/depmod -b " + image.root() + " -a " + OLD);
  }

  @Test
  void aLinkThatWasThereAndBreaksTheKernelsOwnIsNamedAndStays() throws IOException {
    image.module(NEW, "kernel/a.ko", built("a", NEW).exporting("service", Table.NORMAL, 1));
    image.module(NEW, "kernel/user.ko", built("user", NEW).importing("service", 1));
    image.module(OLD, "extra/demo/a.ko", built("a", OLD).exporting("service", Table.NORMAL, 2));
    Files.createDirectories(link("a").getParent());
    Files.createSymbolicLink(link("a"), file("a"));
    extra("b", 5);
    WholeRun run = run(list("b"), "--add-modules");
    assertThat(run.status()).isZero();
    assertThat(isLinked("a") && isLinked("b")).isTrue();
    assertThat(run.err())
        .isEqualTo(
            "weak-modules: kernel "
                + NEW
                + ": with the links that are there these modules of the kernel do not load: user;"
                + " 'weaklink status' names the links\n");
    assertThat(run("", "--remove-kernel", NEW).err()).isEmpty();
  }

  @Test
  void noModuleOfTheKernelStopsToLoadThatDidBefore() {
    image.module(NEW, "kernel/a.ko", built("a", NEW).exporting("service", Table.NORMAL, 1));
    image.module(NEW, "kernel/user.ko", built("user", NEW).importing("service", 1));
    image.module(OLD, "extra/demo/a.ko", built("a", OLD).exporting("service", Table.NORMAL, 2));
    extra("b", 5);

    WholeRun list = run(list("a", "b"), "--add-modules", "--verbose");

    assertThat(list.out())
        .contains("a.ko from kernel " + OLD + " is not compatible with kernel " + NEW)
        .contains(" in symbols:  needed-by:user\n");
    assertThat(isLinked("b")).isFalse();
    run("", "--add-kernel", NEW);
    assertThat(isLinked("a")).isFalse();
    assertThat(isLinked("b")).isTrue();
  }

  @Test
  void whatDidNotLoadBeforeKeepsNothingFromBeingLinked() {
    image.module(NEW, "kernel/a.ko", built("a", NEW).exporting("service", Table.NORMAL, 1));
    image.module(NEW, "kernel/user.ko", built("user", NEW).importing("service", 3));
    image.module(OLD, "extra/demo/a.ko", built("a", OLD).exporting("service", Table.NORMAL, 2));

    run(list("a"), "--add-modules");

    assertThat(isLinked("a")).isTrue();
  }

  @Test
  void aModuleThatComesWithItsUserIsNoHarm() {
    image.module(NEW, "kernel/a.ko", built("a", NEW).exporting("service", Table.NORMAL, 1));
    image.module(NEW, "kernel/user.ko", built("user", NEW).importing("service", 1));
    image.module(OLD, "extra/demo/a.ko", built("a", OLD).exporting("service", Table.NORMAL, 2));
    image.module(OLD, "extra/demo/user.ko", built("user", OLD).importing("service", 2));

    run(list("a", "user"), "--add-modules");

    assertThat(isLinked("a")).isTrue();
    assertThat(isLinked("user")).isTrue();
  }

  @Test
  void depmodFindsLinksThatAreSpelledFromOutsideTheImage() throws IOException {
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
    assertThat(image.modules(NEW).resolve("modules.dep"))
        .content()
        .contains("weak-updates/demo/a.ko:");
  }
}
