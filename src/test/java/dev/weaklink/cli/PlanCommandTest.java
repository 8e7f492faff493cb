package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
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

/** Plans for small images: what should happen with which module, and why. */
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
            5.14.0-3.el9: extra/demo: REBUILD NEEDED
            5.14.0-2.el9: extra/demo: CAN BE LINKED
            5.14.0-1.el9: extra/demo: OK
            """);
  }

  @Test
  void theNewestBuildThatWorksIsTaken() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    image.module(MIDDLE, "extra/a.ko", built("a", MIDDLE, 5));
    assertThat(only(NEW).get("build").asText()).contains(MIDDLE);
    image.module(MIDDLE, "extra/a.ko", built("a", MIDDLE, 7));
    assertThat(only(NEW).get("build").asText()).contains(OLD);
  }

  @Test
  void aBuildOfANewerKernelIsTakenOnlyIfNoOlderOneWorks() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    image.module(NEW, "extra/a.ko", built("a", NEW, 5));
    assertThat(only(MIDDLE).get("build").asText()).contains(OLD);
    image.module(OLD, "extra/a.ko", built("a", OLD, 7));
    assertThat(only(MIDDLE).get("build").asText()).contains(NEW);
  }

  @Test
  void oneThatWouldBeRefusedIsToBeRebuiltAndTheReasonIsSaid() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 6));
    JsonNode module = only(NEW);
    assertThat(module.get("action").asText()).isEqualTo("rebuild");
    assertThat(module.get("reason").asText())
        .isEqualTo(
            "symbol-crc: _printk: symbol version (CRC) mismatch (wanted 0x00000006;"
                + " vmlinux offers 0x00000005); loading fails with EINVAL");
    assertThat(plan("--kernel", NEW).status()).isEqualTo(1);
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

  /** As after a copy by hand, or a package's removal without its scriptlet. */
  @Test
  void aModuleThatDepmodHasNotSeenIsWorkToDoAndSoIsOneThatIsGone() throws IOException {
    image.module(NEW, "extra/a.ko", built("a", NEW, 5));
    image.modulesDep(NEW, "kernel/own.ko");
    assertThat(needsDepmod()).containsExactly("/lib/modules/" + NEW + "/extra/a.ko");
    assertThat(plan("--kernel", NEW).status()).isEqualTo(1);

    image.modulesDep(NEW, "extra/a.ko", "updates/gone/b.ko");
    assertThat(needsDepmod()).containsExactly("/lib/modules/" + NEW + "/updates/gone/b.ko");
    image.modulesDep(NEW, "extra/a.ko");
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
  void aLinkThatDepmodWouldNotChooseDoesNotNeedIt() throws IOException {
    image.module(OLD, "extra/own.ko", built("own", OLD, 5));
    image.weakLink(NEW, "weak-updates/own.ko", OLD, "extra/own.ko");
    image.depmodConfig("dist.conf", "search updates built-in weak-updates");
    image.modulesDep(NEW, "kernel/own.ko");
    assertThat(needsDepmod()).isEmpty();
  }

  @Test
  void theNameOfALinkThatIsBeingMadeIsNotTakenForALink() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    image.weakLink(NEW, "weak-updates/.weaklink-1-0-new", OLD, "extra/a.ko");
    assertThat(only(NEW).get("action").asText()).isEqualTo("link");
    assertThat(WholeRun.of("links", "list", "--root", image.root().toString()).out()).isEmpty();
  }

  @Test
  void aLinkToAnOlderBuildIsReplaced() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    image.module(MIDDLE, "extra/a.ko", built("a", MIDDLE, 5));
    image.weakLink(NEW, "weak-updates/a.ko", OLD, "extra/a.ko");
    JsonNode module = only(NEW);
    assertThat(module.get("action").asText()).isEqualTo("replace");
    JsonNode link = module.get("links").get(0);
    assertThat(link.get("before").asText()).isEqualTo("/lib/modules/" + OLD + "/extra/a.ko");
    assertThat(link.get("after").asText()).isEqualTo("/lib/modules/" + MIDDLE + "/extra/a.ko");
  }

  @Test
  void aLinkToARefusedModuleIsToGo() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 6));
    image.weakLink(NEW, "weak-updates/a.ko", OLD, "extra/a.ko");
    assertThat(only(NEW).get("action").asText()).isEqualTo("unlink");
  }

  @Test
  void aLinkOfUnknownOriginIsNeverTouched() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    image.file("opt/a.ko", built("a", OLD, 5).build());
    Path link = image.modules(NEW).resolve("weak-updates/a.ko");
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, Path.of("/opt/a.ko"));
    JsonNode module = only(NEW);
    assertThat(module.get("action").asText()).isEqualTo("blocked");
    assertThat(module.get("links")).isEmpty();
    assertThat(module.get("reason").asText()).contains("unknown origin").contains("/opt/a.ko");
  }

  @Test
  void whatARemovedPackageLeftBehindIsToGo() throws IOException {
    image.weakLink(NEW, "weak-updates/gone.ko", OLD, "extra/gone.ko");
    JsonNode module = only(NEW);
    assertThat(module.get("action").asText()).isEqualTo("unlink");
    assertThat(module.get("module").asText()).isEqualTo("gone");
  }

  @Test
  void aModuleBuiltForTheKernelItselfNeedsNoLink() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD, 5));
    image.module(NEW, "extra/a.ko", built("a", NEW, 5));
    JsonNode module = only(NEW);
    assertThat(module.get("action").asText()).isEqualTo("keep");
    assertThat(module.get("build").asText()).isEqualTo("/lib/modules/" + NEW + "/extra/a.ko");
  }

  @Test
  void theLinkOfAModuleThatTheKernelHasABuildOfIsToGo() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("_printk", 5));
    image.module(NEW, "updates/a.ko", built("a", NEW).importing("_printk", 5));
    image.weakLink(NEW, "weak-updates/a.ko", OLD, "extra/a.ko");
    JsonNode module = only(NEW);
    assertThat(module.get("action").asText()).isEqualTo("unlink");
    assertThat(module.get("reason").asText())
        .isEqualTo("the kernel has a build of its own: /lib/modules/" + NEW + "/updates/a.ko");
    assertThat(plan("--kernel", NEW, "--units").out()).endsWith(": a: OK\n");
    image.module(NEW, "updates/a.ko", built("a", NEW).importing("_printk", 6));
    assertThat(only(NEW).get("action").asText()).isEqualTo("rebuild");
  }

  @Test
  void aModuleAndTheOneItNeedsGoTogether() throws IOException {
    image.module(OLD, "extra/p.ko", built("p", OLD).exporting("p_symbol", Export.Table.NORMAL, 9));
    image.module(OLD, "extra/u.ko", built("u", OLD).importing("p_symbol", 9));
    assertThat(modules(NEW)).allMatch(module -> module.get("action").asText().equals("link"));
    image.module(
        OLD, "extra/p.ko", built("p", OLD, 6).exporting("p_symbol", Export.Table.NORMAL, 9));
    assertThat(modules(NEW)).allMatch(module -> module.get("action").asText().equals("rebuild"));
  }

  /** As blowfish_common, which would load alone, and blowfish_x86_64, which would not load. */
  @Test
  void noDriverIsLinkedByHalf() throws IOException {
    halfADriver();
    assertThat(modules(NEW))
        .allMatch(module -> module.get("action").asText().equals("rebuild"), "rebuild");
    assertThat(modules(NEW).get(0).get("verdict").asText()).isEqualTo("COMPATIBLE");
    assertThat(modules(NEW).get(0).get("reason").asText())
        .isEqualTo("others that belong to it cannot be linked: " + OLD_EXTRA + "b/x86_64.ko");
  }

  private static final String OLD_EXTRA = "/lib/modules/" + OLD + "/extra/";

  private void halfADriver() {
    image.module(
        OLD, "extra/b/common.ko", built("common", OLD).exporting("c", Export.Table.NORMAL, 9));
    image.module(
        OLD, "extra/b/x86_64.ko", built("x86_64", OLD).importing("c", 9).importing("_printk", 6));
  }

  @Test
  void nothingElseOfItsUnitHoldsADriverBack() throws IOException {
    halfADriver();
    image.module(OLD, "extra/b/other.ko", built("other", OLD, 5));
    assertThat(modules(NEW).get(1).get("module").asText()).isEqualTo("other");
    assertThat(modules(NEW).get(1).get("action").asText()).isEqualTo("link");
  }

  @Test
  void modulesWithoutADirectoryOfTheirOwnMakeADriver() throws IOException {
    image.module(OLD, "extra/c.ko", built("c", OLD).exporting("c", Export.Table.NORMAL, 9));
    image.module(OLD, "extra/u.ko", built("u", OLD).importing("c", 9).importing("_printk", 6));
    assertThat(modules(NEW)).allMatch(module -> module.get("action").asText().equals("rebuild"));
  }

  @Test
  void aRuleAllowsHalfADriver() throws IOException {
    halfADriver();
    image.file(
        "etc/weaklink/site.yaml", "products: [{id: generic, all-or-nothing: no}]".getBytes());
    assertThat(modules(NEW).get(0).get("action").asText()).isEqualTo("link");
    assertThat(modules(NEW).get(1).get("action").asText()).isEqualTo("rebuild");
  }

  /** To take away what works is not for us; weak-modules leaves it, too. */
  @Test
  void aLinkOfHalfADriverThatIsThereStays() throws IOException {
    halfADriver();
    image.weakLink(NEW, "weak-updates/b/common.ko", OLD, "extra/b/common.ko");
    JsonNode common = modules(NEW).get(0);
    assertThat(common.get("action").asText()).isEqualTo("keep");
    assertThat(common.get("advice").asText())
        .isEqualTo(
            "is linked, although others that belong to it cannot be linked: "
                + OLD_EXTRA
                + "b/x86_64.ko");
    assertThat(plan("--kernel", NEW, "--units").out()).endsWith(": extra/b: REBUILD NEEDED\n");
  }

  @Test
  void noModuleOfTheKernelStopsLoading() throws IOException {
    image.module(NEW, "kernel/p.ko", built("p", NEW).exporting("p_symbol", Export.Table.NORMAL, 8));
    image.module(NEW, "kernel/user.ko", built("user", NEW).importing("p_symbol", 8));
    image.module(OLD, "extra/p.ko", built("p", OLD).exporting("p_symbol", Export.Table.NORMAL, 9));
    JsonNode module = only(NEW);
    assertThat(module.get("action").asText()).isEqualTo("blocked");
    assertThat(module.get("verdict").asText()).isEqualTo("COMPATIBLE");
    assertThat(module.get("reason").asText()).endsWith(" would no longer load: user");
  }

  @Test
  void aLinkThatDepmodWouldNotChooseIsSaidSo() throws IOException {
    image.module(NEW, "kernel/a-b.ko", built("a_b", NEW));
    image.module(OLD, "extra/demo/a-b.ko", built("a_b", OLD, 5));
    JsonNode unused = only(NEW).get("unused");
    assertThat(unused.get("chosen").asText()).isEqualTo("/lib/modules/" + NEW + "/kernel/a-b.ko");
    assertThat(unused.get("override").asText()).isEqualTo("override a-b * weak-updates/demo");
    image.depmodConfig("z.conf", "override a-b * weak-updates/demo");
    assertThat(only(NEW).has("unused")).isFalse();
  }

  /** It can be made, it is made, it is used: three things that were called LINKED. */
  @Test
  void aLinkThatIsMadeButNotUsedIsNotCalledLinked() throws IOException {
    image.module(NEW, "kernel/a.ko", built("a", NEW));
    image.module(OLD, "extra/demo/a.ko", built("a", OLD, 5));
    assertThat(units()).isEqualTo("CAN BE LINKED");
    image.weakLink(NEW, "weak-updates/demo/a.ko", OLD, "extra/demo/a.ko");
    assertThat(units()).isEqualTo("LINKED, NOT USED");
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
    assertThat(units()).isEqualTo("LINKED");
    assertThat(plan("--kernel", NEW).out())
        .as("depmod has still to see the line")
        .contains("depmod to run for 1 kernel.\nNext: weaklink apply --kernel");
    image.modulesDep(NEW, "weak-updates/demo/a.ko");
    assertThat(plan("--kernel", NEW).status()).isZero();
  }

  private String units() {
    String line = plan("--kernel", NEW, "--units").out();
    return line.substring(line.lastIndexOf(": ") + 2).strip();
  }

  /** What would be refused must not be made depmod's choice. */
  @Test
  void noOverrideIsAdvisedForAModuleThatIsRefused() throws IOException {
    image.module(NEW, "kernel/a.ko", built("a", NEW));
    image.module(NEW, "extra/a.ko", built("a", NEW, 6));
    image.depmodConfig("dist.conf", "search updates built-in");
    assertThat(only(NEW).get("action").asText()).isEqualTo("rebuild");
    assertThat(only(NEW).has("unused")).isFalse();
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
    assertThat(units()).isEqualTo("OK");
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
  void suseKeepsTheFirstDirectoryInTheLink() throws IOException {
    image.file("etc/os-release", "ID=sles\nID_LIKE=\"suse\"\n".getBytes());
    image.module(OLD, "updates/a.ko", built("a", OLD, 5));
    assertThat(only(NEW).get("links").get(0).get("path").asText())
        .isEqualTo("/lib/modules/5.14.0-3.el9/weak-updates/updates/a.ko");
  }

  @Test
  void aDirectoryOfModulesAloneIsNoKernelButOffersThem() throws IOException {
    image.module("5.14.0-0.el9", "extra/a.ko", built("a", "5.14.0-0.el9", 5));
    assertThat(plan("--units").out().lines())
        .containsExactly(
            NEW + ": a: CAN BE LINKED", MIDDLE + ": a: CAN BE LINKED", OLD + ": a: CAN BE LINKED");
  }

  @Test
  void withoutOutOfTreeModulesThereIsNothingToDo() {
    WholeRun run = plan("--kernel", NEW);
    assertThat(run.out())
        .isEqualTo(
            "5.14.0-3.el9 (boots next)\n  no out-of-tree modules\n\nNo out-of-tree modules.\n");
    assertThat(run.status()).isZero();
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
