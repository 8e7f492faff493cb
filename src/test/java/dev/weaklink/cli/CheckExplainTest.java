package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.Schemas;
import dev.weaklink.testing.BtfBuilder;
import dev.weaklink.testing.BtfBuilder.Member;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.KernelSpec;
import dev.weaklink.testing.KernelSpec.Export;
import dev.weaklink.testing.KernelWriter;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.Oddities;
import dev.weaklink.testing.RealPackages;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two kernels between which a struct changed that two of three functions lead to. */
class CheckExplainTest {
  private static final String OLD = "6.1.0-1-test";
  private static final String NEW = "6.1.0-2-test";

  /** Number of struct device among the kernel's types if its member is a u8. */
  private static final int DEVICE = 4;

  @TempDir Path directory;
  private TreeBuilder root;

  @BeforeEach
  void install() {
    root = TreeBuilder.in(directory);
    root.file("boot/vmlinuz-" + OLD, image(OLD, 1, "unsigned char"));
    root.file("boot/vmlinuz-" + NEW, image(NEW, 2, "u8"));
    root.module(NEW, "kernel/own.ko", module("own", NEW));
    root.module(OLD, "kernel/own.ko", module("own", OLD));
    root.module(OLD, "extra/one.ko", module("one", OLD).importing("dev_open", 1));
    root.module(OLD, "extra/two.ko", module("two", OLD).importing("dev_close", 1));
    root.module(OLD, "extra/far.ko", module("far", "5.0").importing("dev_open", 77));
  }

  private static ModuleBuilder module(String name, String release) {
    int layout =
        KernelSpec.of(Machine.X86_64).exports().stream()
            .filter(export -> export.name().equals("module_layout"))
            .findFirst()
            .orElseThrow()
            .crc();
    return ModuleBuilder.typical(Machine.X86_64, name)
        .changedVersion("module_layout", layout & 0xffffffffL)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
  }

  /** dev_open and dev_close take a struct whose state has that type, kfree does not. */
  private static byte[] image(String release, int crc, String state) {
    return KernelWriter.elf(spec(release, crc), kernelTypes(state));
  }

  private static BtfBuilder kernelTypes(String state) {
    BtfBuilder types = new BtfBuilder();
    int number = types.integer("int", 4);
    int narrow = types.integer("unsigned char", 1);
    int stated = state.equals("u8") ? types.typedef("u8", narrow) : narrow;
    int device = types.struct("device", 8, new Member("state", stated, 0));
    int pointer = types.pointer(device);
    types.function("dev_open", types.prototype(number, pointer));
    types.function("dev_close", types.prototype(0, pointer));
    types.function("kfree", types.prototype(0, number));
    return types;
  }

  private static KernelSpec spec(String release, int crc) {
    List<Export> exports = new ArrayList<>(KernelSpec.of(Machine.X86_64).exports());
    exports.add(new Export("dev_open", false, crc, ""));
    exports.add(new Export("dev_close", false, crc, ""));
    return KernelSpec.of(Machine.X86_64).released(release).exporting(exports);
  }

  private WholeRun check(String... more) {
    List<String> words =
        new ArrayList<>(List.of("check", "--root", directory.toString(), "--kernel", NEW));
    words.addAll(List.of(more));
    return WholeRun.of(words.toArray(new String[0]));
  }

  @Test
  void nothingIsSaidOfCausesUnlessAsked() {
    assertThat(check("one", "two").out()).doesNotContain("struct device");
  }

  @Test
  void everyFormHasTheCause() throws Exception {
    String json = check("one", "--explain", "--format", "json").out();
    assertThat(Schemas.problems(json)).isEmpty();
    assertThat(json)
        .contains(
            "\"cause\":{\"kind\":\"struct\",\"name\":\"device\",\"change\":\"spelling\","
                + "\"members\":[{\"name\":\"state\",\"before\":\"unsigned char state\","
                + "\"after\":\"u8 state\"}],\"path\":[\"dev_open\",\"struct device\"],"
                + "\"certainty\":\"only\",\"worst\":\"spelling\",\"candidates\":[]}");
    for (String format : List.of("ndjson", "csv", "junit", "markdown")) {
      assertThat(check("one", "two", "--explain", "--format", format).out())
          .as(format)
          .contains(format.equals("ndjson") ? "\"name\":\"device\"" : "struct device is spelled");
    }
  }

  @Test
  void plansAndTheOtherChecksSayItToo() throws Exception {
    Files.delete(directory.resolve("lib/modules/" + OLD + "/extra/far.ko"));
    String words = "struct device is spelled differently (same layout)";
    for (List<String> command :
        List.of(
            List.of("plan"),
            List.of("check"),
            List.of("check", "--best", directory + "/lib/modules"))) {
      List<String> line = new ArrayList<>(command);
      line.addAll(List.of("--root", directory.toString(), "--kernel", NEW));
      assertThat(WholeRun.of(line.toArray(new String[0])).out()).doesNotContain(words);
      line.add("--explain");
      assertThat(WholeRun.of(line.toArray(new String[0])).out().replaceAll("\\s+", " "))
          .as("%s", command)
          .contains(words);
    }
  }

  /** It is needed although nothing but the spelling differs, and that is said. */
  @Test
  void rebuildsSayWhatTheyAreFor() throws Exception {
    Files.delete(directory.resolve("lib/modules/" + OLD + "/extra/far.ko"));
    String rules =
        "products:\n  - id: acme\n    recognise: {modules: [one, two]}\n    rebuild:"
            + " {backend: command, command: [make, all]}";
    root.file("etc/weaklink/acme.yaml", rules.getBytes(StandardCharsets.UTF_8));
    root.file("lib/modules/" + NEW + "/build/Makefile", new byte[0]);
    String why =
        "struct device is spelled differently (same layout): the CRCs changed for nothing, the"
            + " rebuild is needed anyway";
    String plan = run("plan", "--root", "" + directory, "--kernel", NEW, "--explain");
    assertThat(plan).contains("why: " + why);
    assertThat(run("plan", "--root", "" + directory, "--kernel", NEW)).doesNotContain("why:");
    String dry =
        run(
            "rebuild",
            "--root",
            "" + directory,
            "--kernel",
            NEW,
            "--dry-run",
            "--backend",
            "command",
            "--explain");
    assertThat(dry).contains("would run", "why: ", why);
    String json =
        WholeRun.of("plan", "--root", "" + directory, "--explain", "--format", "json").out();
    assertThat(Schemas.problems(json)).isEmpty();
    assertThat(json).contains("\"why\":\"" + why + "\"");
  }

  private static String run(String... words) {
    return WholeRun.of(words).out().replaceAll("\\s+", " ");
  }

  /** The kernel it was built for is found by its version magic. */
  @Test
  void whatAModuleImportsIsExplained() throws Exception {
    List<String> line =
        List.of("explain", "extra/one.ko", "extra/two.ko", "--to", NEW, "--root", "" + directory);
    WholeRun run = WholeRun.of(line.toArray(new String[0]));
    assertThat(run.out())
        .startsWith(OLD + " -> " + NEW + ": 2 CRCs of ")
        .contains("struct device: 2 symbols of 2 modules, spelling only, same layout\n");
    List<String> json = new ArrayList<>(line);
    json.addAll(List.of("--format", "json"));
    String document = WholeRun.of(json.toArray(new String[0])).out();
    assertThat(Schemas.problems(document)).isEmpty();
    assertThat(document).contains("\"symbols\":2,\"modules\":2,\"onlyCause\":2");
    line = List.of("explain", "extra/one.ko", "far", "--to", NEW, "--root", "" + directory);
    assertThat(WholeRun.of(line.toArray(new String[0])).messages()).isNotEmpty();
  }

  /** What a store keeps of kernels is enough where neither is installed. */
  @Test
  void storedKernelsKeepTheirTypes() throws Exception {
    Path store = directory.resolve("store");
    for (String kernel : List.of(OLD, NEW)) {
      List<String> add = List.of("store", "add", kernel, "--root", "" + directory);
      List<String> words = new ArrayList<>(add);
      words.addAll(List.of("--store", store.toString()));
      assertThat(WholeRun.of(words.toArray(new String[0])).status()).isZero();
    }
    Path module = directory.resolve("lib/modules/" + OLD + "/extra/one.ko");
    Path empty = Files.createDirectory(directory.resolve("empty"));
    List<String> words = new ArrayList<>(List.of("check", "--explain", module.toString()));
    words.addAll(List.of("--root", empty.toString(), "--kernel", NEW, "--store", "" + store));
    assertThat(WholeRun.of(words.toArray(new String[0])).out())
        .contains("struct device is spelled differently");
    words.set(words.indexOf(NEW), "store:6.1.0-*-test");
    assertThat(WholeRun.of(words.toArray(new String[0])).out())
        .contains(
            "    loads     " + OLD + ", 1 of 2\n",
            "    refused   " + NEW + ", 1 of 2: struct device is spelled differently");
    words = new ArrayList<>(List.of("diff", OLD, NEW, "--root", empty.toString()));
    words.addAll(List.of("--store", store.toString()));
    assertThat(WholeRun.of(words.toArray(new String[0])).out())
        .contains("struct device: 2 symbols, spelling only, same layout");
  }

  @Test
  void auditsSayItOfTheModulesOfNodes() throws Exception {
    Files.delete(directory.resolve("lib/modules/" + OLD + "/extra/far.ko"));
    WholeRun node = WholeRun.of("inventory", "--name", "n1", "--root", directory.toString());
    Path nodes = Files.writeString(directory.resolve("nodes.ndjson"), node.out());
    List<String> words = new ArrayList<>(List.of("audit", nodes.toString(), "--explain"));
    words.addAll(List.of("--root", directory.toString(), "--kernel", NEW));
    words.addAll(List.of("--modules", directory + "/lib/modules"));
    words.add("-v");
    assertThat(WholeRun.of(words.toArray(new String[0])).out())
        .contains(
            "dev_open: device.state became u8 (spelling only); and 1 more; the change explains 1 of 1 set\n")
        .contains("      cause: device.state became u8 (spelling only)\n")
        .contains(NEW + ": device.state became u8 (spelling only): explains 1 of 1 set\n")
        .contains("Note: " + NEW + ": causes from the types of " + OLD + " and this kernel\n");
    // the page holds what json has
    for (String format : List.of("json", "ndjson", "csv")) {
      List<String> form = new ArrayList<>(words);
      form.addAll(List.of("--format", format));
      String out = WholeRun.of(form.toArray(new String[0])).out();
      assertThat(out).as(format).contains("device.state became u8");
      if (format.equals("json")) {
        assertThat(Schemas.problems(out)).isEmpty();
        assertThat(out)
            .contains("\"causes\":[{\"target\":0,\"kind\":\"struct\",\"name\":\"device\"");
      }
    }
  }

  /** Where no cause can be known, every command says why. */
  @Test
  void plansChecksAndAuditsSayWhyThereIsNoCause() throws Exception {
    Files.delete(directory.resolve("lib/modules/" + OLD + "/extra/far.ko"));
    root.file("boot/vmlinuz-" + OLD, KernelWriter.elf(spec(OLD, 1), true));
    String note = OLD + ": its image has no BTF (CONFIG_DEBUG_INFO_BTF): causes are unknown";
    WholeRun node = WholeRun.of("inventory", "--name", "n1", "--root", directory.toString());
    Path nodes = Files.writeString(directory.resolve("nodes.ndjson"), node.out());
    String modules = directory + "/lib/modules";
    for (List<String> command :
        List.of(
            List.of("check", "one"),
            List.of("plan"),
            List.of("check"),
            List.of("check", "--best", modules),
            List.of("audit", nodes.toString(), "--modules", modules))) {
      List<String> line = new ArrayList<>(command);
      line.addAll(List.of("--root", directory.toString(), "--kernel", NEW, "--explain"));
      WholeRun table = WholeRun.of(line.toArray(new String[0]));
      assertThat(table.out().replaceAll("\\s+", " "))
          .as(command.get(0))
          .contains(note)
          .contains("why CRCs changed is unknown");
      line.addAll(List.of("--format", "json"));
      String json = WholeRun.of(line.toArray(new String[0])).out();
      assertThat(Schemas.problems(json)).as(command.get(0)).isEmpty();
      assertThat(json).as(command.get(0)).contains(note);
    }
  }

  /** Of kernels whose symvers have none of the CRCs no image is unpacked. */
  @Test
  void onlyImagesOfKernelsWithTheCrcsAreRead() {
    for (int i = 0; i < 6; i++) {
      String other = "6.2.0-" + i + "-test";
      root.module(other, "kernel/own.ko", module("own", other));
      root.symvers(
          TreeBuilder.SymversPlace.BOOT_GZIP,
          other,
          new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
              .kernel("dev_open", SymversBuilder.Kind.EXPORT_SYMBOL, 3));
      root.file("boot/vmlinuz-" + other, new byte[] {1, 2, 3});
    }
    String out = check("one", "two", "--explain").out();
    assertThat(out).contains("struct device is spelled differently").doesNotContain("6.2.0-");
    out = check("far", "--explain").out();
    assertThat(out).doesNotContain("6.2.0-").contains("no kernel is installed that has those CRCs");
  }

  /**
   * What a module of a package exports is explained by its own types, whatever they go on from. A
   * kernel may come in several packages.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatModulesInPackagesExportIsExplained(boolean distilled) throws Exception {
    ExternalTool.orSkip("dpkg-deb");
    List<String> line = new ArrayList<>(List.of("diff"));
    for (String release : List.of(OLD, NEW)) {
      Path scratch = Files.createDirectory(directory.resolve("deb-" + release));
      TreeBuilder tree = TreeBuilder.in(scratch.resolve("tree"));
      int crc = release.equals(OLD) ? 5 : 6;
      ModuleBuilder mid =
          module("mid-dle", release)
              .exporting("mid_call", ModuleSpec.Export.Table.NORMAL, crc)
              .oddities(typed(release.equals(OLD) ? "gone" : "come", distilled));
      tree.module(release, "kernel/mid-dle.ko", mid);
      tree.file("boot/vmlinuz-" + release, image(release, 1, "u8"));
      TreeBuilder headers = TreeBuilder.in(scratch.resolve("headers"));
      headers.symvers(
          TreeBuilder.SymversPlace.BOOT_GZIP,
          release,
          new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
              .kernel("dev_open", SymversBuilder.Kind.EXPORT_SYMBOL, 1)
              .row(
                  new SymversBuilder.Row(
                      crc, "mid_call", "kernel/mid-dle", SymversBuilder.Kind.EXPORT_SYMBOL, null)));
      for (String part : List.of("tree", "headers")) {
        Path place = Files.createDirectory(scratch.resolve(part + ".packed"));
        line.add(release.equals(OLD) ? "--from" : "--to");
        line.add(RealPackages.deb(place, scratch.resolve(part)).toString());
      }
    }
    assertThat(WholeRun.of(line.toArray(new String[0])).out())
        .startsWith(OLD + " -> " + NEW + ": 1 CRC of 2 symbols differs\n")
        .contains(
            "struct middle: 1 symbol, same layout, new meaning possible\n", "- struct device gone")
        .contains("by mid_call() -> struct middle");
  }

  /**
   * A function that takes a struct of its own, which has a member of the kernel's struct device.
   */
  private static Oddities typed(String member, boolean distilled) {
    BtfBuilder base = distilled ? new BtfBuilder() : kernelTypes("u8");
    int device = distilled ? base.struct("device", 8) : DEVICE;
    BtfBuilder types = base.split();
    int own = types.struct("middle", 16, new Member(member, device, 0));
    types.function("mid_call", types.prototype(0, types.pointer(own)));
    Oddities typed = Oddities.NONE.andBtf(types.build(ByteOrder.LITTLE_ENDIAN));
    return distilled ? typed.andBtfBase(base.build(ByteOrder.LITTLE_ENDIAN)) : typed;
  }

  /** A package's modules were built for a kernel that is installed. */
  @Test
  void modulesInPackagesAreExplainedLikeFiles() throws Exception {
    ExternalTool.orSkip("dpkg-deb");
    Path tree = Files.createDirectories(directory.resolve("tree/lib/modules/x/extra"));
    Files.copy(directory.resolve("lib/modules/" + OLD + "/extra/one.ko"), tree.resolve("one.ko"));
    Path scratch = Files.createDirectory(directory.resolve("deb"));
    String deb = RealPackages.deb(scratch, directory.resolve("tree")).toString();
    assertThat(check(deb, "--explain").out().replaceAll("\\s+", " "))
        .contains("struct device is spelled differently (same layout)");
    assertThat(run("explain", deb, "--to", NEW, "--root", "" + directory))
        .contains("struct device: 1 symbol of 1 module, spelling only, same layout");
  }
}
