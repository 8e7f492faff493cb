package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.report.Schemas;
import dev.weaklink.rpmdb.InstalledRpm;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import dev.weaklink.testing.TreeBuilder.SymversPlace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the rules of a site, and packages, change about plans. */
class PlanRulesTest {
  private static final String OLD = "5.14.0-1.el9";
  private static final String MIDDLE = "5.14.0-2.el9";
  private static final String NEW = "5.14.0-3.el9";
  private static final byte[] BROKEN_XZ = {(byte) 0xfd, '7', 'z', 'X', 'Z', 0};
  private static final String DEMO =
      """
      products:
        - id: demo
          title: Demonstration
          recognise:
            directories: [extra/demo, extra/tools]
      """;

  @TempDir Path directory;
  private TreeBuilder image;

  @BeforeEach
  void installKernels() throws IOException {
    image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
    image.depmodConfig("dist.conf", "search updates extra weak-updates built-in");
    for (String release : List.of(OLD, MIDDLE, NEW)) {
      image
          .module(release, "kernel/own.ko", built("own", release))
          .symvers(
              SymversPlace.MODULES_XZ,
              release,
              new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                  .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                  .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5)
                  .kernel("fragile", SymversBuilder.Kind.EXPORT_SYMBOL, 7)
                  .row(
                      new SymversBuilder.Row(
                          3,
                          "base_symbol",
                          "kernel/base",
                          SymversBuilder.Kind.EXPORT_SYMBOL,
                          null)));
    }
  }

  private static ModuleBuilder built(String name, String release) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
  }

  private void fitting(String release, String place) {
    image.module(release, place, built(name(place), release).importing("_printk", 5));
  }

  private void refused(String release, String place) {
    image.module(release, place, built(name(place), release).importing("_printk", 6));
  }

  private static String name(String place) {
    return place.substring(place.lastIndexOf('/') + 1, place.indexOf(".ko"));
  }

  private void rules(String yaml) {
    image.file("etc/weaklink/site.yaml", yaml.getBytes(StandardCharsets.UTF_8));
  }

  /** A module that DKMS builds for each kernel that is installed, and has built for the oldest. */
  private void installedByDkms(String autoinstall) throws IOException {
    fitting(OLD, "updates/dkms/demo.ko");
    image.file(
        "var/lib/dkms/demo/1.0/source/dkms.conf",
        ("BUILT_MODULE_NAME=demo\nAUTOINSTALL=" + autoinstall).getBytes(StandardCharsets.UTF_8));
    image.file("var/lib/dkms/demo/1.0/" + OLD + "/x86_64/module/demo.ko", new byte[0]);
    Files.createSymbolicLink(
        image.root().resolve("var/lib/dkms/demo/kernel-" + OLD + "-x86_64"),
        Path.of("1.0", OLD, "x86_64"));
  }

  @Test
  void whatDkmsBuildsForEachKernelIsLeftToDkms() throws IOException {
    installedByDkms("yes");
    assertThat(actions()).containsExactly(Map.entry("demo", "rebuild"));
    assertThat(modules().get("demo").get("reason").asText())
        .isEqualTo(
            "DKMS builds it from demo/1.0 for each kernel; a rule with 'link: yes' has it linked"
                + " instead");
    assertThat(plan("--kernel", NEW).out()).contains("dkms");
    rules("products: [{id: generic, link: yes}]");
    assertThat(actions()).containsExactly(Map.entry("demo", "link"));
  }

  @Test
  void whatDkmsBuildsOnlyWhenAskedToIsLinked() throws IOException {
    installedByDkms("");
    assertThat(actions()).containsExactly(Map.entry("demo", "link"));
  }

  private WholeRun plan(String... more) {
    List<String> words = new ArrayList<>(List.of("plan", "--root", image.root().toString()));
    words.addAll(List.of(more));
    return WholeRun.of(words.toArray(new String[0]));
  }

  /** The modules of the newest kernel's plan by name. */
  private Map<String, JsonNode> modules() throws IOException {
    WholeRun run = plan("--kernel", NEW, "--format", "json");
    assertThat(Schemas.problems(run.out())).isEmpty();
    Map<String, JsonNode> modules = new TreeMap<>();
    for (JsonNode module :
        new ObjectMapper().readTree(run.out()).get("kernels").get(0).get("modules")) {
      modules.put(module.get("module").asText(), module);
    }
    return modules;
  }

  /** Name and action of each module. */
  private Map<String, String> actions() throws IOException {
    Map<String, String> actions = new TreeMap<>();
    modules().forEach((name, module) -> actions.put(name, module.get("action").asText()));
    return actions;
  }

  private String reason(String module) throws IOException {
    return modules().get(module).get("reason").asText();
  }

  @Test
  void withoutARuleEveryModuleStandsForItself() throws IOException {
    fitting(OLD, "extra/demo/a.ko");
    refused(OLD, "extra/demo/b.ko");
    assertThat(actions()).containsExactly(Map.entry("a", "link"), Map.entry("b", "rebuild"));
  }

  @Test
  void allOrNothingLinksNoPartOfAUnit() throws IOException {
    rules(DEMO + "    all-or-nothing: yes\n");
    fitting(OLD, "extra/demo/a.ko");
    refused(OLD, "extra/demo/b.ko");
    fitting(OLD, "extra/tools/c.ko");
    assertThat(actions())
        .containsExactly(
            Map.entry("a", "rebuild"), Map.entry("b", "rebuild"), Map.entry("c", "link"));
    assertThat(reason("a"))
        .isEqualTo(
            "others that belong to it cannot be linked: /lib/modules/5.14.0-1.el9/extra/demo/b.ko");
    assertThat(modules().get("a").get("product").asText()).isEqualTo("demo");
    assertThat(plan("--units", "--kernel", NEW).out())
        .isEqualTo("5.14.0-3.el9: demo: REBUILD NEEDED\n");
  }

  @Test
  void allOrNothingTakesTheOlderBuildThatIsWhole() throws IOException {
    rules(DEMO + "    all-or-nothing: yes\n");
    fitting(OLD, "extra/demo/a.ko");
    fitting(OLD, "extra/demo/b.ko");
    fitting(MIDDLE, "extra/demo/a.ko");
    refused(MIDDLE, "extra/demo/b.ko");
    for (JsonNode module : modules().values()) {
      assertThat(module.get("build").asText()).contains("/" + OLD + "/");
      assertThat(module.get("action").asText()).isEqualTo("link");
    }
  }

  @Test
  void theLinksOfAUnitThatIsNotWholeGo() throws IOException {
    rules(DEMO + "    all-or-nothing: yes\n");
    fitting(OLD, "extra/demo/a.ko");
    refused(OLD, "extra/demo/b.ko");
    image.weakLink(NEW, "weak-updates/demo/a.ko", OLD, "extra/demo/a.ko");
    assertThat(actions()).containsExactly(Map.entry("a", "unlink"), Map.entry("b", "rebuild"));
    assertThat(plan("--units", "--kernel", NEW).out()).contains("REBUILD NEEDED");
  }

  @Test
  void anUnreadableModuleBreaksAWholeUnit() throws IOException {
    rules(DEMO + "    all-or-nothing: yes\n");
    fitting(OLD, "extra/demo/a.ko");
    image.file("lib/modules/" + OLD + "/extra/demo/b.ko.xz", BROKEN_XZ);
    assertThat(actions()).containsEntry("a", "rebuild").containsEntry("b", "blocked");
    assertThat(reason("a")).endsWith("/extra/demo/b.ko.xz cannot be read");
  }

  @Test
  void aProductIsNotLinkedWithoutWhatItRequires() throws IOException {
    rules(DEMO + "    required: core\n");
    refused(OLD, "extra/demo/core.ko");
    fitting(OLD, "extra/demo/a.ko");
    fitting(OLD, "extra/tools/b.ko");
    fitting(OLD, "extra/other/c.ko");
    assertThat(actions())
        .containsExactly(
            Map.entry("a", "rebuild"),
            Map.entry("b", "rebuild"),
            Map.entry("c", "link"),
            Map.entry("core", "rebuild"));
    assertThat(reason("b"))
        .isEqualTo(
            "/etc/weaklink/site.yaml:6 says demo is of no use without core, which cannot be linked");
    assertThat(modules().get("b").get("verdict").asText()).isEqualTo("COMPATIBLE");
  }

  @Test
  void whatIsRequiredMayBeBuiltForTheKernelItself() throws IOException {
    rules(DEMO + "    required: core\n");
    fitting(NEW, "extra/demo/core.ko");
    refused(OLD, "extra/demo/core.ko");
    fitting(OLD, "extra/demo/a.ko");
    assertThat(actions()).containsExactly(Map.entry("a", "link"), Map.entry("core", "keep"));
  }

  @Test
  void whatIsRequiredAndNowhereBlocksTheProduct() throws IOException {
    rules(DEMO + "    required: core\n");
    fitting(OLD, "extra/demo/a.ko");
    assertThat(actions()).containsExactly(Map.entry("a", "blocked"));
    assertThat(reason("a")).endsWith("is of no use without core, which is not there");
    assertThat(plan("--kernel", NEW).status()).isEqualTo(1);
  }

  @Test
  void aPinnedProviderIsTheOnlyOne() throws IOException {
    fitting(OLD, "extra/a.ko");
    fitting(MIDDLE, "extra/a.ko");
    assertThat(modules().get("a").get("build").asText()).contains(MIDDLE);
    rules("pin: [{module: a, provider: \"*-1.*\"}]\n");
    assertThat(modules().get("a").get("build").asText()).contains(OLD);
    rules("pin: [{module: a, provider: \"*-9.*\", because: of the vendor}]\n");
    assertThat(actions()).containsExactly(Map.entry("a", "blocked"));
    assertThat(reason("a"))
        .isEqualTo("/etc/weaklink/site.yaml:1 says only builds for *-9.* (of the vendor)");
  }

  @Test
  void providersAreTriedAsListed() throws IOException {
    fitting(OLD, "extra/demo/a.ko");
    fitting(MIDDLE, "extra/demo/a.ko");
    rules(DEMO + "    provider: [\"*-1.*\", \"*-2.*\"]\n");
    assertThat(modules().get("a").get("build").asText()).contains(OLD);
    rules(DEMO + "    provider: [\"*-7.*\"]\n");
    assertThat(reason("a")).contains("site.yaml:6 says no builds for " + MIDDLE);
  }

  @Test
  void whatIsNotToBeLinkedIsToBeRebuiltAndItsLinkStays() throws IOException {
    rules("pin: [{module: a, link: no}]\n");
    fitting(OLD, "extra/a.ko");
    assertThat(actions()).containsExactly(Map.entry("a", "rebuild"));
    assertThat(plan("--kernel", NEW).status()).isEqualTo(1);
    image.weakLink(NEW, "weak-updates/a.ko", OLD, "extra/a.ko");
    assertThat(actions()).containsExactly(Map.entry("a", "keep"));
    assertThat(modules().get("a").get("advice").asText())
        .isEqualTo("is linked, although /etc/weaklink/site.yaml:1 says link: no");
  }

  @Test
  void whatAPersonIsToDecideIsBlocked() throws IOException {
    rules("pin: [{unit: extra/demo, link: ask}]\n");
    fitting(OLD, "extra/demo/a.ko");
    assertThat(actions()).containsExactly(Map.entry("a", "blocked"));
    assertThat(reason("a")).endsWith("says link: ask: pin it to 'link: yes' to have it linked");
  }

  @Test
  void whatIsIgnoredIsNotPlannedForAndItsLinkIsLeftAlone() throws IOException {
    rules("ignore: [{module: a, kernel: " + NEW + "}]\n");
    refused(OLD, "extra/a.ko");
    fitting(OLD, "extra/b.ko");
    image.weakLink(NEW, "weak-updates/a.ko", OLD, "extra/a.ko");
    assertThat(actions()).containsExactly(Map.entry("b", "link"));
    assertThat(plan("--units", "--kernel", MIDDLE).out()).contains("a: REBUILD NEEDED");
  }

  @Test
  void whatNobodyCanSayIsLinkedIfARuleSaysSo() throws IOException {
    image.file("lib/modules/" + NEW + "/kernel/base.ko.xz", BROKEN_XZ);
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("base_symbol", 3));
    assertThat(modules().get("a").get("verdict").asText()).isEqualTo("UNDETERMINED");
    assertThat(actions()).containsExactly(Map.entry("a", "blocked"));
    rules("undetermined: [{module: a, then: link}]\n");
    assertThat(actions()).containsExactly(Map.entry("a", "link"));
    assertThat(modules().get("a").get("verdict").asText()).isEqualTo("UNDETERMINED");
  }

  @Test
  void aDoubtIsLetPassOrAFindingRaised() throws IOException {
    image.file("lib/modules/" + NEW + "/kernel/base.ko.xz", BROKEN_XZ);
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("base_symbol", 3));
    rules("findings: [{finding: dependency.unreadable, then: pass}]\n");
    assertThat(actions()).containsExactly(Map.entry("a", "link"));
    rules("findings: [{finding: symbol.*, then: pass}]\n");
    assertThat(actions()).containsExactly(Map.entry("a", "blocked"));
    rules(
        """
        findings:
          - finding: dependency.unreadable
            because: see the list
            then: fail
        undetermined: [{module: a, then: link}]
        """);
    assertThat(actions()).containsExactly(Map.entry("a", "rebuild"));
    assertThat(reason("a"))
        .isEqualTo("of dependency.unreadable /etc/weaklink/site.yaml:2 says fail (see the list)");
  }

  @Test
  void noRuleLetsARefusalPass() throws IOException {
    refused(OLD, "extra/a.ko");
    rules("findings: [{finding: '**', then: pass}]\n");
    assertThat(actions()).containsExactly(Map.entry("a", "rebuild"));
  }

  @Test
  void usersOfASymbolAreNotedOrKeptAway() throws IOException {
    image.module(OLD, "extra/a.ko", built("a", OLD).importing("fragile", 7));
    rules("symbols: [{symbol: frag*, module: vmlinux, then: note, because: see the list}]\n");
    assertThat(actions()).containsExactly(Map.entry("a", "link"));
    assertThat(modules().get("a").get("advice").asText())
        .isEqualTo("it uses fragile, of which /etc/weaklink/site.yaml:1 says note (see the list)");
    rules("symbols: [{symbol: frag*, then: fail}]\n");
    assertThat(actions()).containsExactly(Map.entry("a", "rebuild"));
    assertThat(reason("a"))
        .isEqualTo("it uses fragile, of which /etc/weaklink/site.yaml:1 says fail");
    rules("symbols: [{module: other, then: fail}]\n");
    assertThat(actions()).containsExactly(Map.entry("a", "link"));
  }

  @Test
  void whatAProductMayBreakDoesNotHoldItUp() throws IOException {
    image.module(NEW, "kernel/p.ko", built("p", NEW).exporting("p_symbol", Export.Table.NORMAL, 8));
    image.module(NEW, "kernel/user.ko", built("user", NEW).importing("p_symbol", 8));
    image.module(
        OLD, "extra/demo/p.ko", built("p", OLD).exporting("p_symbol", Export.Table.NORMAL, 9));
    rules(DEMO);
    assertThat(actions()).containsExactly(Map.entry("p", "blocked"));
    rules(DEMO + "    may-break: user\n");
    assertThat(actions()).containsExactly(Map.entry("p", "link"));
  }

  @Test
  void rulesThatAreNotInOrderDecideNothing() throws IOException {
    fitting(OLD, "extra/a.ko");
    rules("pin: [{modul: a, link: no}]\n");
    for (String command : List.of("plan", "apply")) {
      WholeRun run = WholeRun.of(command, "--root", image.root().toString());
      assertThat(run.status()).isEqualTo(2);
      assertThat(run.messages())
          .containsExactly(
              "/etc/weaklink/site.yaml:1:8: there is no 'modul' in 'pin'; did you mean 'module'?");
    }
    assertThat(image.modules(NEW).resolve("weak-updates")).doesNotExist();
  }

  @Test
  void modulesOfOnePackageBelongTogetherWhereverTheyLie() throws IOException {
    fitting(OLD, "extra/x/a.ko");
    refused(OLD, "extra/y/b.ko");
    fitting(OLD, "extra/x/c.ko");
    String base = "/lib/modules/" + OLD + "/extra/";
    InstalledRpm.of(
        "kmod-two", "1.0", List.of(base + "x/a.ko", base + "y/b.ko"), image.root(), directory);
    rules(
        "products: [{id: two, title: Two, all-or-nothing: yes, recognise: {packages: kmod-two}}]\n");

    assertThat(actions())
        .containsExactly(
            Map.entry("a", "rebuild"), Map.entry("b", "rebuild"), Map.entry("c", "link"));
    assertThat(modules().get("a").get("unit").asText()).isEqualTo("kmod-two");
    assertThat(modules().get("c").get("unit").asText()).isEqualTo("extra/x");
    assertThat(plan("--kernel", NEW).out()).contains("REBUILD NEEDED  2 modules of kmod-two (two)");
  }

  @Test
  void anRpmDatabaseThatCannotBeAskedIsAProblemAndDirectoriesHaveToDo() throws IOException {
    fitting(OLD, "extra/demo/a.ko");
    image.weakLink(NEW, "weak-updates/demo/a.ko", OLD, "extra/demo/a.ko");
    image.modulesDep(NEW, "weak-updates/demo/a.ko");
    image.file("var/lib/rpm/rpmdb.sqlite", new byte[5000]);
    WholeRun run = plan("--kernel", NEW);
    assertThat(run.messages()).hasSize(1);
    assertThat(run.messages().get(0))
        .startsWith("rpm database: rpm ")
        .endsWith("; modules are taken together by directory, not by package");
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out()).contains("LINKED  1 module of extra/demo");
  }
}
