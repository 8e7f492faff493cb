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
    assertThat(run.out())
        .isEqualTo(
            """
            5.14.0-1.el9
              extra/demo (1 module): OK
                keep     a  /lib/modules/5.14.0-1.el9/extra/demo/a.ko

            5.14.0-2.el9
              extra/demo (1 module): LINKED
                link     a
                    /lib/modules/5.14.0-2.el9/weak-updates/demo/a.ko -> /lib/modules/5.14.0-1.el9/extra/demo/a.ko

            5.14.0-3.el9
              extra/demo (1 module): LINKED
                link     a
                    /lib/modules/5.14.0-3.el9/weak-updates/demo/a.ko -> /lib/modules/5.14.0-1.el9/extra/demo/a.ko

            1 to keep, 2 to link
            """);
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
            5.14.0-1.el9: extra/demo: OK
            5.14.0-2.el9: extra/demo: LINKED
            5.14.0-3.el9: extra/demo: REBUILD NEEDED
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
    assertThat(plan().status()).isZero();
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

  @Test
  void noModuleOfTheKernelStopsLoading() throws IOException {
    image.module(NEW, "kernel/p.ko", built("p", NEW).exporting("p_symbol", Export.Table.NORMAL, 8));
    image.module(NEW, "kernel/user.ko", built("user", NEW).importing("p_symbol", 8));
    image.module(OLD, "extra/p.ko", built("p", OLD).exporting("p_symbol", Export.Table.NORMAL, 9));
    JsonNode module = only(NEW);
    assertThat(module.get("action").asText()).isEqualTo("blocked");
    assertThat(module.get("verdict").asText()).isEqualTo("COMPATIBLE");
    assertThat(module.get("reason").asText()).endsWith("would not any more: user");
  }

  @Test
  void aLinkThatDepmodWouldNotChooseIsSaidSo() throws IOException {
    image.module(NEW, "kernel/a-b.ko", built("a_b", NEW));
    image.module(OLD, "extra/demo/a-b.ko", built("a_b", OLD, 5));
    assertThat(only(NEW).get("advice").asText())
        .isEqualTo(
            "unused: depmod chooses /lib/modules/5.14.0-3.el9/kernel/a-b.ko; this line in a file of"
                + " /etc/depmod.d mends it: override a-b * weak-updates/demo");
    image.depmodConfig("z.conf", "override a-b * weak-updates/demo");
    assertThat(only(NEW).has("advice")).isFalse();
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
        .containsExactly(OLD + ": a: LINKED", MIDDLE + ": a: LINKED", NEW + ": a: LINKED");
  }

  @Test
  void withoutOutOfTreeModulesThereIsNothingToDo() {
    WholeRun run = plan("--kernel", NEW);
    assertThat(run.out())
        .isEqualTo("5.14.0-3.el9\n  no out-of-tree modules\n\nNo out-of-tree modules.\n");
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
    assertThat(run.out()).contains("2 to link");
    assertThat(listing()).isEqualTo(before);
  }

  private List<String> listing() throws IOException {
    try (Stream<Path> paths = Files.walk(image.root())) {
      return paths.map(path -> path + " " + path.toFile().lastModified()).sorted().toList();
    }
  }
}
