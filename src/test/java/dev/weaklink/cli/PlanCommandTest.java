package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the command says of plans; what is planned is in test-fixtures/cases. */
class PlanCommandTest {
  private static final String OLD = "5.14.0-1.el9";
  private static final String MIDDLE = "5.14.0-2.el9";
  private static final String NEW = "5.14.0-3.el9";

  @TempDir Path directory;
  private TreeBuilder image;

  @BeforeEach
  void installKernels() throws IOException {
    image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
    image.depmodConfig("dist.conf", "search updates extra built-in weak-updates");
    install(OLD, 5);
    install(MIDDLE, 5);
    install(NEW, 5);
  }

  private void install(String release, int printk) {
    image
        .module(release, "kernel/own.ko", built("own", release))
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

  private static ModuleBuilder built(String name, String release, int printk) {
    return built(name, release).importing("_printk", printk);
  }

  private WholeRun plan(String... more) {
    List<String> words = new ArrayList<>(List.of("plan", "--root", image.root().toString()));
    words.addAll(List.of(more));
    return WholeRun.of(words.toArray(new String[0]));
  }

  private JsonNode modules(String kernel) throws IOException {
    WholeRun run = plan("--kernel", kernel, "--format", "json");
    JsonNode document = new ObjectMapper().readTree(run.out());
    assertThat(Schemas.problems(run.out())).isEmpty();
    return document.get("kernels").get(0).get("modules");
  }

  private JsonNode only(String kernel) throws IOException {
    JsonNode modules = modules(kernel);
    assertThat(modules).hasSize(1);
    return modules.get(0);
  }

  @Test
  void aModuleThatFitsIsToBeLinkedAndSoTheStatusIsOne() {
    image.module(OLD, "extra/demo/a.ko", built("a", OLD, 5));
    WholeRun run = plan();
    assertThat(run.out().replace(". Next: ", ".\nNext: "))
        .isEqualTo(
            """
            5.14.0-3.el9 (boots next)
              CAN BE LINKED  1 module of extra/demo
                link the build for 5.14.0-1.el9: a

            5.14.0-2.el9
              CAN BE LINKED  1 module of extra/demo
                link the build for 5.14.0-1.el9: a

            5.14.0-1.el9
              OK  1 module of extra/demo

            2 links to make.
            Next: weaklink apply --root %s
            """
                .formatted(image.root()));
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void aLineForEachProductIsEnoughForHooks() {
    install(NEW, 6);
    image.module(OLD, "extra/demo/a.ko", built("a", OLD, 5));
    assertThat(plan("--units").out())
        .isEqualTo(
            """
            weaklink: 5.14.0-3.el9 will not load a (extra/demo); do not boot it before \
            'weaklink apply --rebuild'
            weaklink: 5.14.0-2.el9 will load a (extra/demo) after 'weaklink apply'
            weaklink: 5.14.0-1.el9 loads a (extra/demo)
            """);
  }

  @Test
  void aLinkThatIsRightStays() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    image.weakLink(NEW, "weak-updates/a.ko", OLD, "extra/a.ko");
    image.weakLink(MIDDLE, "weak-updates/a.ko", OLD, "extra/a.ko");
    assertThat(only(NEW).get("action").asText()).isEqualTo("keep");
    image.modulesDep(NEW, "weak-updates/a.ko").modulesDep(MIDDLE, "weak-updates/a.ko");
    assertThat(plan().status()).isZero();
  }

  @Test
  void aLinkThatDepmodHasNotSeenIsWorkToDoAndSoIsOneThatIsGone() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    image.weakLink(NEW, "weak-updates/a.ko", OLD, "extra/a.ko");
    image.modulesDep(NEW, "kernel/own.ko");
    assertThat(needsDepmod()).containsExactly("/lib/modules/" + NEW + "/weak-updates/a.ko");
    assertThat(plan("--kernel", NEW).status()).isEqualTo(1);
    assertThat(plan("--kernel", NEW).out())
        .contains("modules.dep is out of date for 1 module")
        .contains("depmod to run for 1 kernel");

    image.modulesDep(NEW, "weak-updates/a.ko", "weak-updates/gone/b.ko");
    assertThat(needsDepmod()).containsExactly("/lib/modules/" + NEW + "/weak-updates/gone/b.ko");
    image.modulesDep(NEW, "weak-updates/a.ko");
    assertThat(needsDepmod()).isEmpty();
    assertThat(plan("--kernel", NEW).status()).isZero();
  }

  private List<String> needsDepmod() throws IOException {
    List<String> links = new ArrayList<>();
    WholeRun run = plan("--kernel", NEW, "--format", "json");
    assertThat(Schemas.problems(run.out())).isEmpty();
    JsonNode kernel = new ObjectMapper().readTree(run.out()).get("kernels").get(0);
    kernel.get("needsDepmod").forEach(link -> links.add(link.asText()));
    return links;
  }

  @Test
  void theNameOfALinkThatIsBeingMadeIsNotTakenForALink() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    image.weakLink(NEW, "weak-updates/.weaklink-1-0-new", OLD, "extra/a.ko");
    assertThat(only(NEW).get("action").asText()).isEqualTo("link");
    assertThat(WholeRun.of("status", "--root", image.root().toString()).out())
        .isEqualTo("0 links, none defective\n");
  }

  /** It can be made, it is made, it is used: three things that were called LINKED. */
  @Test
  void aLinkThatIsMadeButNotUsedIsNotCalledLinked() throws IOException {
    image.module(NEW, "kernel/a.ko", built("a", NEW));
    image.module(OLD, "extra/demo/a.ko", built("a", OLD, 5));
    assertThat(units()).isEqualTo("will load a (extra/demo) after 'weaklink apply'");
    image.weakLink(NEW, "weak-updates/demo/a.ko", OLD, "extra/demo/a.ko");
    assertThat(units()).startsWith("will not use a (extra/demo); ");
    assertThat(only(NEW).get("state").asText()).isEqualTo("linked-not-used");
    WholeRun plan = plan("--kernel", NEW);
    assertThat(plan.status()).isEqualTo(1);
    assertThat(plan("--kernel", NEW, "--format", "csv").out())
        .contains("override a * weak-updates/demo");
    assertThat(plan.out())
        .isEqualTo(
            """
            5.14.0-3.el9 (boots next)
              LINKED, NOT USED  1 module of extra/demo
                depmod would choose other files, such as
                  /lib/modules/5.14.0-3.el9/kernel/a.ko, for: a
                to fix, add to /etc/depmod.d/weaklink.conf:
                  override a * weak-updates/demo

            1 module not used by depmod.
            Next: weaklink apply --depmod-override --kernel 5.14.0-3.el9 --root %s
            """
                .formatted(image.root()));
    image.depmodConfig("z.conf", "override a * weak-updates/demo");
    assertThat(units()).isEqualTo("loads a (extra/demo) by a link");
    assertThat(plan("--kernel", NEW).out())
        .as("depmod has still to see the line")
        .contains("depmod to run for 1 kernel.\nNext: weaklink apply --kernel");
    image.modulesDep(NEW, "weak-updates/demo/a.ko");
    assertThat(plan("--kernel", NEW).status()).isZero();
  }

  private String units() {
    String line = plan("--kernel", NEW, "--units").out();
    return line.substring(("weaklink: " + NEW).length()).strip();
  }

  @Test
  void aPathThatDepmodCannotReadHasNoOverride() throws IOException {
    image.module(NEW, "kernel/a.ko", built("a", NEW));
    image.module(OLD, "extra/x * updates\\/a.ko", built("a", OLD, 5));
    JsonNode unused = only(NEW).get("unused");
    assertThat(unused.has("chosen")).isTrue();
    assertThat(unused.has("override")).isFalse();
  }

  @Test
  void aKernelOlderThanEveryBuildIsRebuiltForOnlyIfAsked() throws IOException {
    image.module(NEW, "extra/a.ko", built("a", NEW, 7));
    install(NEW, 7);
    WholeRun plan = plan();
    assertThat(plan.status()).isZero();
    assertThat(plan.out())
        .contains("5.14.0-1.el9\n  NO BUILD  1 module: a\n")
        .endsWith("\n1 module as it should be.\n");
    assertThat(plan("--format", "junit").out()).doesNotContain("<failure");
    assertThat(only(OLD).get("action").asText()).isEqualTo("rebuild");
    assertThat(units()).isEqualTo("loads a");
  }

  @Test
  void theKernelThatGrubHasSavedBootsNext() {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    image.file("etc/default/grub", "GRUB_DEFAULT=saved\n".getBytes());
    image.file("boot/grub2/grubenv", ("saved_entry=0123abc-" + MIDDLE + "\n").getBytes());
    assertThat(plan().out()).startsWith(MIDDLE + " (boots next)\n");
    image.file("etc/default/grub", "GRUB_DEFAULT=0\n".getBytes());
    assertThat(plan().out()).startsWith(NEW + " (boots next)\n");
    image.file("boot/grub2/grubenv", ("next_entry=gnulinux-" + OLD + "-x\n").getBytes());
    assertThat(plan().out()).startsWith(OLD + " (boots next)\n");
  }

  /** Forty-one modules and four kernels were 480 lines. */
  @Test
  void manyModulesOnManyKernelsFitOnAScreen() {
    install("5.14.0-4.el9", 6);
    for (int i = 0; i < 38; i++) {
      image.module(MIDDLE, "extra/big/m" + i + ".ko", built("m" + i, MIDDLE, 5));
    }
    for (String name : List.of("x", "y", "z")) {
      image.module(OLD, "extra/" + name + ".ko", built(name, OLD));
    }
    List<String> lines = plan().out().lines().toList();
    assertThat(lines)
        .containsSequence(
            "5.14.0-4.el9 (boots next)",
            "  REBUILD NEEDED  38 modules of extra/big",
            "    m0, m1, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, and 26 more: would",
            "      be refused, _printk has changed",
            "  CAN BE LINKED  3 modules: x, y, z",
            "    link the build for 5.14.0-1.el9: x, y, z",
            "",
            "5.14.0-3.el9");
    assertThat(lines).hasSizeLessThan(35);
    assertThat(lines).allMatch(line -> line.length() <= 80 || line.contains("weaklink "));
  }

  @Test
  void aDirectoryOfModulesAloneIsNoKernelButOffersThem() throws IOException {
    image.module("5.14.0-0.el9", "extra/a.ko", built("a", "5.14.0-0.el9", 5));
    assertThat(plan("--units").out().lines())
        .containsExactly(
            "weaklink: " + NEW + " will load a after 'weaklink apply'",
            "weaklink: " + MIDDLE + " will load a after 'weaklink apply'",
            "weaklink: " + OLD + " will load a after 'weaklink apply'");
  }

  @Test
  void aKernelThatIsNotThereIsNoAnswer() {
    WholeRun run = plan("--kernel", "5.14.0-9.el9");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.messages())
        .containsExactly(
            "5.14.0-9.el9: no such kernel is installed; installed: "
                + String.join(", ", OLD, MIDDLE, NEW)
                + "; did you mean '"
                + String.join("' or '", OLD, MIDDLE, NEW)
                + "'?");
  }

  @Test
  void anUnreadableModuleIsUndetermined() throws IOException {
    image.file("lib/modules/" + OLD + "/extra/a.ko", new byte[] {1, 2, 3});
    image.file("lib/modules/" + OLD + "/extra/z.ko.xz", new byte[] {(byte) 0xfd, '7', 'z'});
    WholeRun run = plan("--kernel", NEW);
    assertThat(run.status()).isNotZero();
    assertThat(modules(NEW)).noneMatch(module -> module.get("action").asText().equals("link"));
  }

  @Test
  void aDryRunOfApplyWritesNothing() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    List<String> before = listing();
    WholeRun run = WholeRun.of("apply", "--dry-run", "--root", image.root().toString());
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("2 links to make");
    assertThat(listing()).isEqualTo(before);
  }

  private List<String> listing() throws IOException {
    try (Stream<Path> paths = Files.walk(image.root())) {
      return paths.map(path -> path + " " + path.toFile().lastModified()).sorted().toList();
    }
  }
}
