package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.Schemas;
import dev.weaklink.system.offers.RpmMetadata;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.Packing;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which kernels of rpm repositories are held, by what their packages say that they export. */
class HoldRpmTest {
  private static final String OLD = "5.14.0-8.el9.x86_64";
  private static final String NEW = "5.14.0-9.el9.x86_64";
  private static final int LAYOUT = 0x11223344;

  @TempDir Path root;
  private TreeBuilder tree;

  @BeforeEach
  void install() throws IOException {
    tree = TreeBuilder.in(root);
    tree.module(OLD, "kernel/own.ko", module("own").build(), Compression.NONE);
    install(module("acme").importing("_printk", 5));
    Files.createDirectories(root.resolve("etc/weaklink"));
    Files.writeString(root.resolve("etc/weaklink/weaklink.conf"), "hold = yes\n");
  }

  private static ModuleBuilder module(String name) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + OLD + " SMP mod_unload modversions ");
  }

  private void install(ModuleBuilder module) throws IOException {
    tree.module(OLD, "extra/acme.ko", module.build(), Compression.NONE);
  }

  /** A kernel with so many exports that none can be missing by chance, and these. */
  private static String[] exports(String... more) {
    List<String> all = new ArrayList<>(List.of(more));
    all.add("kernel(module_layout) = 0x" + Integer.toHexString(LAYOUT));
    for (int i = 0; i < 5000; i++) {
      all.add("kernel(other_" + i + ") = 0x" + Integer.toHexString(i));
    }
    return all.toArray(new String[0]);
  }

  private static RpmMetadata kernel(String... exports) {
    return new RpmMetadata().kernel(NEW, exports(exports));
  }

  private WholeRun hold(String... more) {
    List<String> words = new ArrayList<>(List.of("hold", "--root", root.toString()));
    words.addAll(List.of(more));
    return WholeRun.of(words.toArray(new String[0]));
  }

  private String kept() throws IOException {
    return Files.readString(root.resolve("var/lib/weaklink/hold.json"));
  }

  @Test
  void aKernelThatPublishesAnotherCrcIsHeldWithWhatBelongsToItAndNothingElse() throws IOException {
    kernel("kernel(_printk) = 0x6").write(root);

    WholeRun run = hold();
    assertThat(run.status()).as(run.err()).isEqualTo(1);
    assertThat(run.out())
        .contains("HOLD     " + NEW, "would refuse acme (another CRC of _printk)")
        .contains("kernel=5.14.0-9.el9", "kernel-core=5.14.0-9.el9", "kernel-devel=5.14.0-9.el9")
        .contains("kernel-modules=5.14.0-9.el9")
        .doesNotContain("tools", "headers");
    assertThat(Schemas.problems(kept())).isEmpty();
    assertThat(kept()).contains("\"manager\":\"dnf\"", "\"done\":true", "\"kernel-core\"");
  }

  @Test
  void itIsSaidThatDnf5HoldsNothingWithoutItsActions() throws IOException {
    kernel("kernel(_printk) = 0x5").write(root);
    Files.createDirectories(root.resolve("usr/bin"));
    Files.writeString(root.resolve("usr/bin/dnf5"), "");
    WholeRun run = hold();
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.messages())
        .containsExactly(
            "dnf5: it holds nothing without its actions; run 'dnf5 install"
                + " libdnf5-plugin-actions'");
    Path plugins = Files.createDirectories(root.resolve("usr/lib64/libdnf5/plugins"));
    Files.writeString(plugins.resolve("actions.so"), "");
    run = hold();
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.messages()).isEmpty();
  }

  @Test
  void oneThatFitsAsFarAsItPublishesIsLetInAndWhatIsNotKnownIsSaid() throws IOException {
    kernel("kernel(_printk) = 0x5").write(root);

    WholeRun run = hold();
    assertThat(run.status()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("FITS     " + NEW, "vermagic, namespaces and signatures are not published")
        .contains("nothing is held");
  }

  @Test
  void offeredBuildsOfTheDriverAreNamedUnlessTheyRequireOtherCrcs() throws IOException {
    RpmMetadata metadata = kernel("kernel(_printk) = 0x6");
    metadata
        .driver("kmod-good", "kmod(acme.ko)", "kernel(_printk) = 0x6")
        .driver("kmod-bad", "kmod(acme.ko)", "kernel(_printk) = 0x5")
        .driver("kmod-other", "kmod(other.ko)", "kernel(_printk) = 0x6")
        .driver("kmod-new", "kmod(acme.ko)", "glibc")
        .driver("kmod-old", "kmod(acme.ko)", "kernel-uname-r = " + OLD)
        .driver("kmod-own", "kmod(acme.ko)", "kernel-uname-r = " + NEW)
        .write(root);

    WholeRun run = hold();
    assertThat(run.out().lines().filter(line -> line.contains("offered:")).map(String::strip))
        .containsExactly(
            "offered: acme in kmod-good=2-1, made for it",
            "offered: acme in kmod-new=2-1; whether it fits is not published",
            "offered: acme in kmod-own=2-1, made for it");
    assertThat(Schemas.problems(kept())).isEmpty();
    assertThat(run.out()).contains("HOLD     " + NEW);
  }

  @Test
  void aMissingSymbolRefusesOnlyWhereAllOthersArePublished() throws IOException {
    String[] installed = exports("kernel(_printk) = 0x5");
    kernel().kernel(OLD, installed).write(root);
    assertThat(hold().out()).contains("HOLD     " + NEW, "acme (_printk is not exported)");

    for (RpmMetadata partial :
        List.of(
            new RpmMetadata()
                .kernel(NEW, "kernel(module_layout) = 0x11223344", "kernel(other) = 0x1")
                .kernel(OLD, installed),
            kernel().kernel(OLD, installed).add("kernel-modules-extra", "5.14.0", "9.el9"),
            kernel(), // no kernel's packages publish it: perhaps only those of modules have it
            kernel().kernel(OLD, exports()))) {
      partial.write(root);
      assertThat(hold().out()).doesNotContain("HOLD");
    }
  }

  @Test
  void whatAnotherModuleOfTheMachineExportsIsNotAskedOfTheKernel() throws IOException {
    tree.module(
        OLD,
        "extra/provider.ko",
        module("provider").exporting("acme_helper", ModuleSpec.Export.Table.GPL, 7).build(),
        Compression.NONE);
    install(module("acme").importing("_printk", 5).importing("acme_helper", 7));
    kernel("kernel(_printk) = 0x5", "kernel(acme_helper) = 0x99").write(root);

    assertThat(hold().out()).contains("FITS     " + NEW);
  }

  @Test
  void aModuleThatRulesSayToIgnoreExportsNeverthelessAndRefusesNothing() throws IOException {
    tree.module(
        OLD,
        "extra/provider.ko",
        module("provider")
            .importing("_printk", 4)
            .exporting("acme_helper", ModuleSpec.Export.Table.GPL, 7)
            .build(),
        Compression.NONE);
    install(module("acme").importing("_printk", 5).importing("acme_helper", 7));
    Files.createDirectories(root.resolve("etc/weaklink"));
    Files.writeString(root.resolve("etc/weaklink/own.yaml"), "ignore: [{module: provider}]\n");
    kernel("kernel(_printk) = 0x5", "kernel(acme_helper) = 0x99").write(root);

    assertThat(hold().out()).contains("FITS     " + NEW);
  }

  @Test
  void aCrcOfZeroIsNone() throws IOException {
    kernel("kernel(_printk) = 0x00000000").write(root);
    assertThat(hold().out()).doesNotContain("HOLD");
  }

  @Test
  void whatTwoRepositoriesDoNotAgreeAboutHoldsNothing() throws IOException {
    RpmMetadata first = kernel("kernel(_printk) = 0x6");
    first.kernel(NEW, exports("kernel(_printk) = 0x5")).write(root);
    assertThat(hold().out()).doesNotContain("HOLD");
  }

  @Test
  void aWeakImportAndSymbolsThatContradictEachOtherHoldNothing() throws IOException {
    install(module("acme").importing("_printk", true));
    kernel().write(root);
    assertThat(hold().out()).contains("FITS     " + NEW);

    install(module("acme").importing("_printk", 5));
    kernel("kernel(_printk) = 0x6", "kernel(_printk) = 0x5").write(root);
    assertThat(hold().out()).doesNotContain("HOLD");
  }

  @Test
  void susesSymbolsCountWithoutTheirFlavourAndItsReleaseWithoutTheRebuild() throws IOException {
    String old = "6.4.0-150600.21-default";
    tree.module(old, "kernel/own.ko", module("own").build(), Compression.NONE);
    new RpmMetadata()
        .add("kernel-default", "6.4.0", "150600.23.1", "ksym(default:_printk) = 00000006")
        .add("kernel-default-devel", "6.4.0", "150600.23.1")
        .add("kernel-macros", "6.4.0", "150600.23.1")
        .write(root);

    assertThat(hold().out())
        .contains("HOLD     6.4.0-150600.23-default", "kernel-default-devel=6.4.0-150600.23.1")
        .doesNotContain("macros");
  }

  @Test
  void susesBaseKernelIsHeldWithTheKernelThatItIsOf() throws IOException {
    String old = "6.4.0-150600.21-default";
    tree.module(old, "kernel/own.ko", module("own").build(), Compression.NONE);
    new RpmMetadata()
        .add("kernel-default", "6.4.0", "150600.23.1", "ksym(default:_printk) = 00000006")
        .add("kernel-default-base", "6.4.0", "150600.23.1.150600.12.1", "ksym(default:a) = 1")
        .add("kernel-default-base", "6.4.0", "150600.21.1.150600.12.1", "ksym(default:a) = 1")
        .write(root);

    assertThat(hold().out())
        .contains("kernel-default-base=6.4.0-150600.23.1.150600.12.1")
        .doesNotContain("150600.21.1", "default-base (");
  }

  @Test
  void aSystemIsThePackageManagersWhosePackagesAreInstalled() throws IOException {
    kernel("kernel(_printk) = 0x6").write(root);
    Files.createDirectories(root.resolve("var/lib/apt/lists"));
    Path status = root.resolve("var/lib/dpkg/status");
    Files.createDirectories(status.getParent());
    Files.writeString(status, "Package: dpkg\nStatus: deinstall ok config-files\nVersion: 1\n");
    assertThat(hold().out()).contains("HOLD     " + NEW);

    Files.writeString(status, "Package: dpkg\nStatus: install ok installed\nVersion: 1\n");
    assertThat(hold().out()).contains("apt offers no kernel newer");
    Files.delete(root.resolve("var/lib/apt/lists"));
    assertThat(hold().err()).contains("no package manager has lists here; run 'apt update' first");
  }

  @Test
  void whatWasDownloadedOfARepositoryThatIsDisabledOrGoneDoesNotCount() throws IOException {
    kernel("kernel(_printk) = 0x6").write(root);
    Path file = root.resolve("etc/yum.repos.d/base.repo");
    Files.createDirectories(file.getParent());
    for (String off : List.of("enabled=0", "enabled = False", "#\n enabled: no ")) {
      Files.writeString(file, "[other]\nenabled=1\n[base]\nname=x\n" + off + "\n");
      assertThat(hold().err())
          .contains("no package manager has lists here; run 'apt update' first (or");
    }
    Files.writeString(file, "[other]\nenabled=1\n");
    assertThat(hold().status()).isEqualTo(2);
    for (String on : List.of("[base]", "[other]\nenabled=0\n[base]\nenabled=1", "[$base]", "")) {
      Files.writeString(file, on);
      assertThat(hold().out()).contains("HOLD     " + NEW);
    }
  }

  @Test
  void whereNotAllModulesCouldBeLookedAtOnlyTheLayoutIsSure() throws IOException {
    Path large = root.resolve("lib/modules/" + OLD + "/extra/large.ko");
    try (RandomAccessFile file = new RandomAccessFile(large.toFile(), "rw")) {
      file.setLength(1L << 30);
    }
    kernel("kernel(_printk) = 0x6").write(root);
    assertThat(hold().out())
        .contains("UNKNOWN  " + NEW, "not all modules in use could be looked at");

    String[] exports = exports();
    exports[0] = "kernel(module_layout) = 0x1";
    new RpmMetadata().kernel(NEW, exports).write(root);
    assertThat(hold().out()).contains("HOLD     " + NEW, "another CRC of module_layout");
  }

  @Test
  void whatTheKernelInUseRefusesAlreadyHoldsNone() throws IOException {
    kernel("kernel(_printk) = 0x6").write(root);
    SymversBuilder symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, LAYOUT);
    tree.symvers(
        TreeBuilder.SymversPlace.values()[0],
        OLD,
        symvers.kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 7));
    assertThat(hold().out().replaceAll("\\s+", " "))
        .contains("FITS " + NEW, "would refuse acme, as " + OLD + " does that is in use")
        .contains("nothing is held");

    String[] exports = exports("kernel(_printk) = 0x6");
    exports[1] = "kernel(module_layout) = 0x1";
    tree.module(OLD, "extra/other.ko", module("other").build(), Compression.NONE);
    new RpmMetadata().kernel(NEW, exports).write(root);
    assertThat(hold().out()).contains("HOLD     " + NEW, "let in by: a build of other that fits");
  }

  @Test
  void metadataMayBePackedAndWhatIsNotWhatItsChecksumSaysCountsForNothing() throws IOException {
    byte[] primary = kernel("kernel(_printk) = 0x6").primary().getBytes(StandardCharsets.UTF_8);
    for (Packing packing : List.of(Packing.GZIP, Packing.XZ, Packing.ZSTD)) {
      RpmMetadata.write(root, packing.pack(primary), "primary.xml.packed");
      assertThat(hold().out()).contains("HOLD     " + NEW);
    }
    Path file = root.resolve("var/cache/dnf/base-0123456789abcdef/repodata/primary.xml.packed");
    Files.write(file, primary);
    WholeRun run = hold();
    assertThat(run.err())
        .contains("primary.xml.packed has another checksum than it says; not used");
    assertThat(run.out()).contains("dnf offers no kernel newer");
    assertThat(kept()).contains("\"packages\":[]");
  }

  @Test
  void hostileMetadataIsRefusedInBoundedMemoryAndHoldsNothing() throws IOException {
    String good = kernel("kernel(_printk) = 0x6").primary();
    String laughs = "<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>\n";
    String huge = "x".repeat(200_000);
    for (String bad :
        List.of(
            good.replace("<metadata", laughs + "<metadata"),
            good.replace("_printk", huge),
            good.replace("<summary>", "<a>".repeat(100) + "<summary>"),
            good.substring(0, good.length() / 2),
            good.replace("<metadata", "<html").replace("</metadata", "</html"),
            good.replace("<summary>", "<summary <x>"),
            "",
            "<")) {
      RpmMetadata.write(root, bad.getBytes(StandardCharsets.UTF_8), "primary.xml");
      WholeRun run = hold();
      assertThat(run.err()).contains("; not used");
      assertThat(run.out()).doesNotContain("HOLD");
    }
    for (String name :
        List.of("../kernel-core", "kernel core", "kernel-core*", "kernel-core\u001b")) {
      RpmMetadata.write(
          root,
          good.replace(">kernel-core<", ">" + name + "<").getBytes(StandardCharsets.UTF_8),
          "primary.xml");
      assertThat(hold().out()).doesNotContain("HOLD");
    }
    RpmMetadata.write(
        root,
        good.replace(
                "<summary>",
                "<!-- > -- --- <x> " + huge + " --><![CDATA[<]]]>" + huge + "]]><summary>")
            .getBytes(StandardCharsets.UTF_8),
        "primary.xml");
    assertThat(hold().out()).contains("HOLD");
  }

  @Test
  void ofFortyKernelsThoseThatAreNewerThanTheInstalledOneCount() throws IOException {
    RpmMetadata many = new RpmMetadata();
    String[] exports = exports("kernel(_printk) = 0x6");
    for (int i = 0; i < 40; i++) {
      many.kernel("5.14.0-" + i + ".el9.x86_64", exports);
    }
    many.write(root);
    WholeRun run = hold("--format", "json");
    assertThat(run.out().split("\"decision\":\"held\"", -1)).hasSize(32);
    assertThat(Arrays.asList(run.out().split("\"", -1))).doesNotContain(OLD);
  }

  @Test
  void zyppersLocksOfOursComeAndGoAndThoseOfOthersStay() throws IOException {
    Path locks = root.resolve("etc/zypp/locks");
    String theirs =
        "\ntype: package\nmatch_type: glob\nsolvable_name: emacs\n\n\n# mine\ntype: x\n";
    Files.createDirectories(root.resolve("etc/zypp"));
    Files.writeString(locks, theirs);
    kernel("kernel(_printk) = 0x6").write(root);

    assertThat(hold().out()).contains("held:");
    assertThat(Files.readString(locks))
        .startsWith(theirs)
        .contains(
            "type: package\nversion: == 5.14.0-9.el9\nmatch_type: glob\ncase_sensitive: on\n"
                + "solvable_name: kernel-core\ncomment: weaklink hold\n")
        .doesNotContain("tools");
    String held = Files.readString(locks);
    hold();
    assertThat(Files.readString(locks)).isEqualTo(held);
    // as zypper writes it anew
    Files.writeString(
        locks, "\n" + held.replace("\n\n", "\n\n\n").replace(NEW, NEW).strip() + "\n");

    assertThat(hold("--off").out()).isEqualTo("no kernel is held any more\n");
    assertThat(Files.readString(locks))
        .contains("solvable_name: emacs", "# mine\ntype: x")
        .doesNotContain("weaklink", "kernel");
    assertThat(hold("--off").out()).isEqualTo("no kernel was held\n");

    hold();
    kernel("kernel(_printk) = 0x5").write(root);
    hold();
    assertThat(Files.readString(locks)).contains("emacs").doesNotContain("kernel");
  }
}
