package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs in the manner of Red Hat's weak-modules, with the real depmod. */
class WeakModulesTest {
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
        .symvers(
            SymversPlace.MODULES_XZ,
            release,
            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk));
  }

  private static ModuleBuilder built(String name, String release) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
  }

  private void extra(String name, int printk) {
    image.module(OLD, "extra/demo/" + name + ".ko", built(name, OLD).importing("_printk", printk));
  }

  private Path file(String name) {
    return image.modules(OLD).resolve("extra/demo/" + name + ".ko");
  }

  private Path link(String name) {
    return image.modules(NEW).resolve("weak-updates/demo/" + name + ".ko");
  }

  private boolean isLinked(String name) {
    return Files.exists(link(name), LinkOption.NOFOLLOW_LINKS);
  }

  private WholeRun run(String stdin, String... options) {
    List<String> words = new ArrayList<>(List.of("weak-modules"));
    words.addAll(List.of(options));
    words.addAll(List.of("--no-initramfs", "--basedir", image.root().toString()));
    return WholeRun.reading(stdin.getBytes(StandardCharsets.UTF_8), words.toArray(new String[0]));
  }

  private String list(String... names) {
    StringBuilder list = new StringBuilder();
    for (String name : names) {
      list.append(file(name)).append('\n');
    }
    return list.toString();
  }

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

  private List<String> listing() throws IOException {
    try (Stream<Path> paths = Files.walk(image.root())) {
      return paths.map(path -> path + " " + path.toFile().lastModified()).sorted().toList();
    }
  }
}
