package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether a kernel is safe for the modules in use, and which build is the best for it. */
class ModulesInUseTest {
  private static final String OLD = "6.1.0-8-test";
  private static final String NEW = "6.1.0-9-test";

  @TempDir Path directory;
  private Path root;
  private Path repository;

  @BeforeEach
  void install() throws IOException {
    root = Files.createDirectory(directory.resolve("root"));
    repository = Files.createDirectory(directory.resolve("repository"));
  }

  private static ModuleBuilder module(String name, String release, int printk) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + release + " SMP mod_unload modversions ")
        .importing("_printk", printk);
  }

  /** A kernel's package, whose printk has this CRC. */
  private String kernel(String release, int printk) throws IOException {
    byte[] symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
            .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk)
            .bytes();
    TarWriter tar = new TarWriter().file("./lib/modules/" + release + "/symvers", symvers);
    return Files.write(directory.resolve("kernel-" + release), tar.bytes()).toString();
  }

  private void tar(String name, ModuleBuilder... modules) throws IOException {
    TarWriter tar = new TarWriter();
    int number = 0;
    for (ModuleBuilder module : modules) {
      tar.file("./lib/modules/x/extra/" + number++ + ".ko", module.build());
    }
    Files.createDirectories(repository.resolve("pool"));
    Files.write(repository.resolve("pool").resolve(name), tar.bytes());
  }

  private WholeRun run(String command, String... more) {
    List<String> words = new ArrayList<>(List.of(command, "--root", root.toString()));
    words.addAll(List.of(more));
    return WholeRun.of(words.toArray(new String[0]));
  }

  private WholeRun match(String... more) throws IOException {
    List<String> words = new ArrayList<>(List.of(repository.toString()));
    words.addAll(List.of("--kernel", kernel(NEW, 5)));
    words.addAll(List.of(more));
    words.add("--best");
    return run("check", words.toArray(new String[0]));
  }

  private List<String> marks(WholeRun run) {
    return run.out()
        .lines()
        .filter(line -> !line.startsWith(" "))
        .map(line -> line.replaceAll(" +.*/", " "))
        .toList();
  }

  @Test
  void aBuildThatWouldBeRefusedForItsSignatureDoesNotFit() throws IOException {
    tar("driver", module("driver", NEW, 5));
    assertThat(match("--signature-policy", "permissive").status()).isZero();
    WholeRun run = match("--signature-policy", "enforced", "--loader", "signatures=yes");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("EKEYREJECTED");
  }

  @Test
  void theBuildThatFitsIsAdvisedWhateverItIsCalled() throws IOException {
    tar("driver-for-6.1.0-9", module("driver", NEW, 6));
    tar("driver-for-6.1.0-8", module("driver", OLD, 5));
    WholeRun run = match();
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    assertThat(marks(run))
        .containsExactly("install driver-for-6.1.0-8", "refused driver-for-6.1.0-9");
    assertThat(run.out())
        .contains("1 module would load; built for " + OLD)
        .contains("1 of 1 module would be refused; built for this kernel; driver: symbol-crc");
  }

  @Test
  void ofTwoThatFitTheOneBuiltForThatKernelIsAdvisedAndOthersBesidesIt() throws IOException {
    tar("a", module("driver", OLD, 5));
    tar("b", module("driver", NEW, 5));
    tar("c", module("other", OLD, 5));
    assertThat(marks(match())).containsExactly("install b", "fits a", "install c");
  }

  @Test
  void aDirectoryOfModulesForEachKernelIsABuildForEach() throws IOException {
    for (String release : List.of(OLD, NEW)) {
      Path extra = Files.createDirectories(repository.resolve(release).resolve("extra"));
      byte[] bytes = module("driver", release, release.equals(NEW) ? 5 : 6).build();
      Files.write(extra.resolve("driver.ko"), bytes);
    }
    assertThat(marks(match())).containsExactly("install " + NEW, "refused " + OLD);
  }

  @Test
  void packagesWithoutModulesArePassedOverAndBrokenOnesNamed() throws IOException {
    tar("good", module("driver", NEW, 5));
    Files.write(
        repository.resolve("pool/tools"),
        new TarWriter().file("./usr/bin/tool", new byte[10]).bytes());
    assertThat(match().status()).isZero();
    byte[] cut = Files.readAllBytes(repository.resolve("pool/good"));
    Files.write(repository.resolve("pool/cut"), Arrays.copyOf(cut, 700));
    WholeRun run = match();
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.messages())
        .containsExactly(
            repository.resolve("pool/cut") + ": truncated: the tar archive has no end");
    assertThat(marks(run)).containsExactly("install good");
  }

  @Test
  void whereNothingFitsTheStatusSaysSo() throws IOException {
    tar("bad", module("driver", NEW, 6));
    WholeRun run = match();
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).contains("No build is known to fit");
    Files.delete(repository.resolve("pool/bad"));
    assertThat(match().status()).isEqualTo(2);
    assertThat(match().messages())
        .containsExactly(repository + ": neither packages nor module files below it");
  }

  @Test
  void linksInARepositoryAreNotFollowedInCircles() throws IOException {
    tar("good", module("driver", NEW, 5));
    Files.createSymbolicLink(repository.resolve("pool/loop"), repository);
    assertThat(marks(match())).containsExactly("install good");
  }

  @Test
  void theMatchForProgramsIsAsItsSchemaSays() throws IOException {
    tar("good", module("driver", NEW, 5));
    tar("bad", module("driver", NEW, 6));
    assertThat(Schemas.problems(match("--format", "json").out())).isEmpty();
  }

  @Test
  void theGateOpensIfAllModulesInUseWouldLoad() throws IOException {
    TreeBuilder.in(root).module(OLD, "extra/driver.ko", module("driver", OLD, 5));
    WholeRun yes = run("check", "--kernel", kernel(NEW, 5));
    assertThat(yes.err()).isEmpty();
    assertThat(yes.status()).isZero();
    assertThat(yes.out())
        .startsWith("yes      ")
        .contains("kernel-" + NEW + ": 1 module would load\nyes: ")
        .endsWith("kernel-" + NEW + " is safe for the modules in use\n");
    WholeRun no = run("check", "--kernel", kernel(NEW, 6), "--quiet");
    assertThat(no.status()).isEqualTo(1);
    assertThat(no.out()).isEmpty();
  }

  @Test
  void ofSeveralKernelsTheNewestSafeOneIsNamed() throws IOException {
    TreeBuilder.in(root).module(OLD, "extra/driver.ko", module("driver", OLD, 5));
    String ten = kernel("6.1.0-10-test", 5);
    String eleven = kernel("6.1.0-11-test", 6);
    WholeRun run = run("check", "--kernel", kernel(NEW, 5), "--kernel", eleven, "--kernel", ten);
    assertThat(run.status()).as("not all of them are safe").isEqualTo(1);
    assertThat(run.out())
        .contains("no       " + eleven + ": 1 of 1 module would be refused: driver (symbol-crc: ")
        .endsWith("newest safe: " + ten + "\n");
  }

  @Test
  void modulesOfAnOlderKernelDoNotCloseTheGate() throws IOException {
    TreeBuilder tree = TreeBuilder.in(root);
    tree.module("6.1.0-7-test", "extra/driver.ko", module("driver", "6.1.0-7-test", 1));
    tree.module(OLD, "extra/driver.ko", module("driver", OLD, 5));
    assertThat(run("check", "--kernel", kernel(NEW, 5)).status()).isZero();
  }

  /** Installs a kernel whose printk has this CRC. */
  private TreeBuilder installed(String release, int printk) {
    return TreeBuilder.in(root)
        .modulesOrder(release, List.of())
        .symvers(
            TreeBuilder.SymversPlace.MODULES_GZIP,
            release,
            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk));
  }

  @Test
  void aModuleThatTheNewestKernelLacksIsJudgedByItsBuildForAnotherAndNeedsARebuild()
      throws IOException {
    installed(OLD, 5).module(OLD, "updates/dkms/driver.ko", module("driver", OLD, 5));
    installed(NEW, 6);
    WholeRun run = run("check");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("no       " + NEW + ": 1 of 1 module would be refused: driver (symbol-crc: ")
        .contains(
            "\n         needs a rebuild for this kernel, judged by the build for "
                + OLD
                + ": driver\n"
                + "         to leave out one that is not needed: remove it, or add a rule to"
                + " /etc/weaklink/local.yaml:\n"
                + "           ignore: [{module: driver}]\n")
        .endsWith("no: " + NEW + " is not safe; newest safe: " + OLD + "\n");
    assertThat(run("check", "--kernel", OLD).status()).isZero();
    String json = run("check", "--format", "json").out();
    assertThat(Schemas.problems(json)).isEmpty();
    assertThat(json).contains("\"missing\":[{\"module\":\"driver\",\"judged\":\"" + OLD + "\"}]");
  }

  @Test
  void aModuleThatWouldLoadButIsNotInstalledForTheKernelIsNoYes() {
    installed(OLD, 5).module(OLD, "extra/driver.ko", module("driver", OLD, 5));
    installed(NEW, 5);
    WholeRun run = run("check");
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("no       " + NEW + ": 1 of 1 module is not in place: driver\n")
        .contains(
            "\n         would load by the build for "
                + OLD
                + "; 'weaklink plan' says how to install it: driver\n");
    TreeBuilder.in(root).weakLink(NEW, "weak-updates/driver.ko", OLD, "extra/driver.ko");
    assertThat(run("check").out()).startsWith("yes      " + NEW + ": 1 module would load\nyes: ");
  }

  /** As it is told to: an obsolete driver that only an old kernel has. */
  @Test
  void aModuleThatRulesIgnoreKeepsNoKernelFromBeingSafe() throws IOException {
    installed(OLD, 5)
        .module(OLD, "extra/old/driver.ko", module("driver", OLD, 5))
        .module(OLD, "extra/other/other.ko", module("other", OLD, 5));
    installed(NEW, 5).module(NEW, "extra/other/other.ko", module("other", NEW, 5));
    assertThat(run("check").status()).isEqualTo(1);
    byte[] rules = "ignore: [{module: driver}]\n".getBytes(StandardCharsets.UTF_8);
    TreeBuilder.in(root).file("etc/weaklink/local.yaml", rules);
    assertThat(run("check"))
        .isEqualTo(
            new WholeRun(
                0,
                "yes      "
                    + NEW
                    + ": 1 module would load\n"
                    + "         ignored by /etc/weaklink/local.yaml:1: driver\nyes: "
                    + NEW
                    + " is safe for the modules in use\n",
                ""));
    String json = run("check", "--format", "json").out();
    assertThat(Schemas.problems(json)).isEmpty();
    assertThat(json)
        .contains("\"ignored\":[{\"module\":\"driver\",\"rule\":\"/etc/weaklink/local.yaml:1\"}]");
    byte[] units =
        "ignore:\n  - unit: extra/o*\n    kernel: 6.*\n".getBytes(StandardCharsets.UTF_8);
    TreeBuilder.in(root).file("etc/weaklink/local.yaml", units);
    assertThat(run("check").out())
        .startsWith("yes      " + NEW + ": rules say to ignore all out-of-tree modules\n");
  }

  @Test
  void aBuildThatDepmodWouldNotChooseIsNotInPlace() {
    installed(OLD, 5).module(OLD, "extra/driver.ko", module("driver", OLD, 5));
    installed(NEW, 5)
        .module(NEW, "extra/driver.ko", module("driver", NEW, 5))
        .module(NEW, "kernel/driver.ko", module("driver", NEW, 5))
        .depmodConfig("search.conf", "search built-in extra");
    WholeRun run = run("check");
    assertThat(run.out())
        .contains(
            "\n         is installed, but depmod chooses another file; 'weaklink plan' says how to"
                + " change that: driver\n");
    assertThat(run.status()).isEqualTo(1);
    TreeBuilder.in(root).depmodConfig("search.conf", "search extra updates built-in");
    assertThat(run("check").status()).isZero();
  }

  @Test
  void everyKernelIsJudgedByItsOwnBuild() {
    installed(OLD, 5).module(OLD, "extra/driver.ko", module("driver", OLD, 5));
    installed(NEW, 6).module(NEW, "extra/driver.ko", module("driver", NEW, 6));
    WholeRun run = run("check", "--kernel", OLD, "--kernel", NEW);
    assertThat(run.out())
        .endsWith("safe for the modules in use; newest: " + NEW + "\n")
        .doesNotContain("no  ");
    assertThat(run.status()).isZero();
    String path = root.resolve("lib/modules/" + OLD).toString();
    assertThat(run("check", "--kernel", path).status()).isZero();
  }

  /** A hook gets what is to be installed, and knows no more of it than its name. */
  @Test
  void aPackageWithoutAKernelIsNoFailureForAHook() throws IOException {
    installed(OLD, 5).module(OLD, "extra/single.ko", module("single", OLD, 5));
    Path meta = root.resolve("kernel-6.1.tar");
    Files.write(meta, new TarWriter().file("./usr/share/doc/kernel", new byte[1]).bytes());
    WholeRun run = run("check", "--units", "--kernel", meta.toString());
    assertThat(run.out()).isEmpty();
    assertThat(run.status()).isZero();
    assertThat(run("check", "--kernel", meta.toString()).status()).isEqualTo(2);
    Files.write(meta, new byte[] {0x1f, (byte) 0x8b, 8, 0});
    assertThat(run("check", "--units", "--kernel", meta.toString()).status()).isEqualTo(2);
  }

  @Test
  void unitsAreOneLineForEachProductWithItsWorstModule() throws IOException {
    installed(OLD, 5)
        .module(OLD, "extra/storage/good.ko", module("good", OLD, 5))
        .module(OLD, "extra/storage/bad.ko", module("bad", OLD, 6))
        .module(OLD, "extra/single.ko", module("single", OLD, 5))
        .module(OLD, "updates/dkms/built.ko", module("built", OLD, 6));
    Path dkms = Files.createDirectories(root.resolve("var/lib/dkms/built/1.0/source"));
    Files.writeString(
        dkms.resolve("dkms.conf"),
        """
        PACKAGE_NAME="built"
        PACKAGE_VERSION="1.0"
        BUILT_MODULE_NAME[0]="built"
        DEST_MODULE_LOCATION[0]="/updates/dkms"
        AUTOINSTALL="yes"
        """);
    WholeRun run = run("check", "--units", "--kernel", kernel(NEW, 5));
    assertThat(run.err()).isEmpty();
    assertThat(run.out())
        .isEqualTo(
            """
            weaklink: DKMS will build built for 6.1.0-9-test
            weaklink: 6.1.0-9-test will not load bad (extra/storage); do not boot it before \
            'weaklink apply --rebuild'
            weaklink: 6.1.0-9-test will load single after 'weaklink apply'
            """);
    assertThat(run("check", "--units", "--kernel", OLD).out())
        .isEqualTo(
            """
            weaklink: 6.1.0-8-test will not load built; do not boot it before \
            'weaklink apply --rebuild'
            weaklink: 6.1.0-8-test will not load bad (extra/storage); do not boot it before \
            'weaklink apply --rebuild'
            weaklink: 6.1.0-8-test loads single
            """);
  }

  @Test
  void modulesInUseAreThoseOfAllKernels() throws IOException {
    installed(OLD, 5).module(OLD, "extra/driver.ko", module("driver", OLD, 5));
    installed("6.1.0-7-test", 5)
        .module("6.1.0-7-test", "extra/other.ko", module("other", "6.1.0-7-test", 1));
    WholeRun run = run("check", "--kernel", kernel(NEW, 5));
    assertThat(run.out()).contains("1 of 2 modules would be refused: other (");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void whereAllKernelsHaveOnlyTheirOwnModulesTheGateSaysThatItLookedAtThem() throws IOException {
    installed(OLD, 5).module(OLD, "kernel/own.ko", module("own", OLD, 5));
    WholeRun run = run("check", "--kernel", kernel(NEW, 5));
    assertThat(run.out()).contains(": no out-of-tree modules found for " + OLD + "\n");
    assertThat(run.status()).isZero();
    assertThat(run("check", "--kernel", "9.9").status()).isEqualTo(2);
  }

  @Test
  void theGateStaysClosedWhereNothingCouldBeLookedAt() throws IOException {
    WholeRun none = run("check", "--kernel", kernel(NEW, 5));
    assertThat(none.out()).startsWith("unknown  ").contains(": no module was checked\n");
    assertThat(none.messages())
        .containsExactly(
            root
                + ": no kernel is installed in it, so the modules in use are not known; name them:"
                + " weaklink check MODULE");
    assertThat(none.status()).isEqualTo(3);
    assertThat(run("check").status()).isEqualTo(2);
    installed(OLD, 5).weakLink(OLD, "weak-updates/driver.ko", "6.1.0-7-test", "extra/driver.ko");
    WholeRun dangling = run("check");
    assertThat(dangling.out()).startsWith("unknown  ");
    assertThat(dangling.status()).isEqualTo(3);
  }

  @Test
  void aBareSymversFileAndHeadersWithoutAReleaseCanBeMatchedWith() throws IOException {
    tar("good", module("driver", OLD, 5));
    Path headers = Files.createDirectory(directory.resolve("headers"));
    Files.write(
        headers.resolve("Module.symvers"),
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
            .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5)
            .bytes());
    for (Path kernel : List.of(headers, headers.resolve("Module.symvers"))) {
      WholeRun run = run("check", "--best", repository.toString(), "--kernel", kernel.toString());
      assertThat(run.err()).isEmpty();
      assertThat(run.out()).contains("install", "1 module would load; built for " + OLD);
      assertThat(run.status()).isZero();
    }
  }

  @Test
  void theGateForProgramsIsAsItsSchemaSays() throws IOException {
    TreeBuilder.in(root).module(OLD, "extra/driver.ko", module("driver", OLD, 5));
    String json =
        run("check", "--kernel", kernel(NEW, 6), "--kernel", "9.9", "--format", "json").out();
    assertThat(Schemas.problems(json)).isEmpty();
    assertThat(json).contains("\"safe\":\"no\"", "\"refused\":[\"driver\"]");
  }
}
