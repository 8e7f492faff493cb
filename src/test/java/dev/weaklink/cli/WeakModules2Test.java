package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs in the manner of SUSE's weak-modules2, with the real rpm and depmod. */
class WeakModules2Test {
  private static final String OLD = "6.4.0-1-default";
  private static final String NEW = "6.4.0-2-default";
  private static final String OTHER_FLAVOR = "6.4.0-2-azure";
  private static final String ONE = "demo-kmp-default-1.0_k6.4.0_1-1.1";
  private static final String TWO = "demo-kmp-default-1.10_k6.4.0_1-1.1";

  @TempDir Path directory;
  private SuseImage image;

  @BeforeEach
  void installKernels() throws IOException {
    ExternalTool.orSkip("depmod");
    image = new SuseImage(directory).kernel(OLD, 5).kernel(NEW, 5).kernel(OTHER_FLAVOR, 5);
  }

  private String install(String id, String name, int printk) throws IOException {
    String file = image.module(OLD, id, name, printk);
    image.rpm.install(id, file);
    return file;
  }

  private String refused(String id, String kernel) {
    return "FAILED to add " + id + " in kernel " + kernel + "\n";
  }

  @Test
  void anInstalledPackageIsLinkedUnderItsWholePathOnKernelsOfItsFlavor() throws IOException {
    String file = install(ONE, "a", 5);

    assertThat(image.run("", "--add-kmp", ONE)).isEqualTo(new WholeRun(0, "", initrds(OLD, NEW)));

    assertThat(image.linked(NEW, file)).isEqualTo(file);
    assertThat(image.link(NEW, file)).endsWithRaw(Path.of("weak-updates/updates", ONE, "a.ko"));
    assertThat(image.linked(OLD, file)).as("its own kernel").isNull();
    assertThat(image.linked(OTHER_FLAVOR, file)).isNull();
    assertThat(image.tree.modules(NEW).resolve("modules.dep"))
        .content()
        .contains("weak-updates/updates/" + ONE + "/a.ko:");
  }

  /** In an image nothing is run that would look at the host. */
  private static String initrds(String... kernels) {
    StringBuilder text = new StringBuilder();
    for (String kernel : kernels) {
      text.append("Please run \"/usr/bin/dracut -f /boot/initrd-%s %s\"".formatted(kernel, kernel))
          .append(" as soon as your system is complete.\n");
    }
    return text.toString();
  }

  @Test
  void verboseMessagesSayWhatIsDoneInTheOldWords() throws IOException {
    install(ONE, "a", 5);
    image.environment.put("INITRD_IN_POSTTRANS", "1");

    assertThat(image.run("", "--add-kmp", ONE, "--verbose"))
        .isEqualTo(
            new WholeRun(
                0,
                "",
                """
                Package %1$s does not need to be added to kernel %2$s
                Package %1$s added to kernel %3$s
                touch /run/regenerate-initrd/%2$s
                touch /run/regenerate-initrd/%3$s
                depmod -a %2$s
                depmod -a %3$s
                """
                    .formatted(ONE, OLD, NEW)));
    assertThat(image.host("/run/regenerate-initrd/" + NEW)).isEmptyFile();
    assertThat(image.host("/run/regenerate-initrd/" + OLD)).isEmptyFile();
  }

  @Test
  void oneBadModuleKeepsItsPackageFromBeingLinkedAndNoOther() throws IOException {
    String good = image.module(OLD, "two", "good", 5);
    String bad = image.module(OLD, "two", "bad", 6);
    image.rpm.install(ONE, good, bad);
    String other = install("other-kmp-default-1-1", "other", 5);

    WholeRun run = image.run("", "--add-kernel", NEW, "--debug");

    assertThat(run.status()).isZero();
    assertThat(run.err().lines())
        .contains(
            bad + " disagrees about version of symbol _printk",
            good + ": others of its package cannot be linked");
    assertThat(image.linked(NEW, good)).isNull();
    assertThat(image.linked(NEW, bad)).isNull();
    assertThat(image.linked(NEW, other)).isEqualTo(other);
  }

  @Test
  void aPackageThatDoesNotFitIsNamedAndNoError() throws IOException {
    String file = image.module(OLD, "a", SuseImage.built("a", OLD).importing("gone", 1), "a");
    image.rpm.install(ONE, file);

    WholeRun run = image.run("", "--add-kmp", ONE, "--debug");

    assertThat(run.status()).isZero();
    assertThat(run.err())
        .contains(refused(ONE, NEW), file + " needs unknown symbol gone\n")
        .doesNotContain(refused(ONE, OLD));
  }

  @Test
  void aNewerVersionTakesThePlaceOfALinkedOneAndAnOlderOneDoesNot() throws IOException {
    String one = install(ONE, "a", 5);
    image.run("", "--add-kmp", ONE);
    String two = install(TWO, "a", 5);

    WholeRun newer = image.run("", "--add-kmp", TWO, "-v");

    assertThat(newer.err())
        .contains("Package " + ONE + " replaced by package " + TWO + " in kernel " + NEW + "\n");
    assertThat(image.linked(NEW, one)).isNull();
    assertThat(image.linked(NEW, two)).isEqualTo(two);
    WholeRun older = image.run("", "--add-kmp", ONE, "-v");
    assertThat(older.status()).isZero();
    assertThat(older.err())
        .contains("Package " + TWO + " kept in kernel " + NEW + " (not replaced by " + ONE + ")\n");
    assertThat(image.linked(NEW, two)).isEqualTo(two);
  }

  @Test
  void aNewKernelGetsTheNewestVersionThatFits() throws IOException {
    String one = install(ONE, "a", 5);
    String two = install(TWO, "a", 6);

    WholeRun run = image.run("", "--add-kernel", NEW, "-v");

    assertThat(run.err()).contains("Package " + ONE + " added to kernel " + NEW + "\n");
    assertThat(image.linked(NEW, one)).isEqualTo(one);
    assertThat(image.linked(NEW, two)).isNull();
  }

  @Test
  void aPackageIsLinkedWithThoseItNeedsUnlessTheyNeedItToo() throws IOException {
    String first = image.module(OLD, "x", exporting("first", "one", "two"), "first");
    String second = image.module(OLD, "y", exporting("second", "two", "one"), "second");
    image.rpm.install("first-kmp-default-1-1", first).install("second-kmp-default-1-1", second);
    String third = image.module(OLD, "z", exporting("third", "three", "_printk", 5), "third");
    String user = image.module(OLD, "z", exporting("user", "four", "three"), "user");
    image.rpm.install("a-user-kmp-default-1-1", user).install("third-kmp-default-1-1", third);

    assertThat(image.run("", "--add-kernel", NEW).status()).isZero();

    assertThat(image.linked(NEW, user)).isEqualTo(user);
    assertThat(image.linked(NEW, third)).isEqualTo(third);
    assertThat(image.linked(NEW, first)).as("neither can be loaded first").isNull();
    assertThat(image.linked(NEW, second)).isNull();
  }

  private static ModuleBuilder exporting(String name, String exported, String imported) {
    return exporting(name, exported, imported, 7);
  }

  private static ModuleBuilder exporting(String name, String exported, String imported, int crc) {
    return SuseImage.built(name, OLD).exporting(exported, Table.NORMAL, 7).importing(imported, crc);
  }

  @Test
  void aPackageWithAModuleThatIsThereAlreadyIsNotLinked() throws IOException {
    String file = install(ONE, "a", 5);
    image.tree.module(NEW, "extra/a.ko", SuseImage.built("a", NEW).importing("_printk", 5));

    WholeRun run = image.run("", "--add-kmp", ONE, "--debug");

    assertThat(run.status()).isZero();
    assertThat(run.err())
        .contains(refused(ONE, NEW), ONE + ": there is /usr/lib/modules/" + NEW + "/extra/a.ko\n");
    assertThat(image.linked(NEW, file)).isNull();
  }

  @Test
  void linksGoWithTheirPackageAndAnotherVersionTakesTheirPlace() throws IOException {
    String one = install(ONE, "a", 5);
    String two = install(TWO, "a", 5);
    image.run("", "--add-kernel", NEW);
    assertThat(image.linked(NEW, two)).isEqualTo(two);
    image.rpm.erase(TWO);
    Files.delete(image.host(two));

    WholeRun replaced = image.run(two + "\n", "--remove-kmp", TWO, "-v");

    assertThat(replaced.status()).isZero();
    assertThat(replaced.err())
        .contains("Package " + TWO + " replaced by package " + ONE + " in kernel " + NEW + "\n");
    assertThat(image.linked(NEW, one)).isEqualTo(one);
    assertThat(image.linked(NEW, two)).isNull();
    image.rpm.erase(ONE);
    Files.delete(image.host(one));
    WholeRun removed = image.run(one + "\n", "--remove-kmp", ONE, "-v");
    assertThat(removed.err()).contains("Package " + ONE + " removed from kernel " + NEW + "\n");
    assertThat(Files.exists(image.link(NEW, one), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  @Test
  void anUpdateWithTheSamePathsKeepsTheLinks() throws IOException {
    String file = install(ONE, "a", 5);
    image.run("", "--add-kmp", ONE);
    image.rpm.install(TWO, file);
    image.rpm.erase(ONE);

    WholeRun run = image.run(file + "\n", "--remove-kmp", ONE, "-v");

    assertThat(run.status()).isZero();
    assertThat(image.linked(NEW, file)).isEqualTo(file);
  }

  @Test
  void aReinstalledPackageKeepsItsLinks() throws IOException {
    String file = install(ONE, "a", 5);
    image.run("", "--add-kmp", ONE);

    assertThat(image.run(file + "\n", "--remove-kmp", ONE, "-v"))
        .isEqualTo(new WholeRun(0, "", "Package " + ONE + " is installed; its links stay\n"));

    assertThat(image.linked(NEW, file)).isEqualTo(file);
  }

  @Test
  void nothingThatLoadedBeforeStopsToLoad() throws IOException {
    image.tree.module(
        NEW, "kernel/a.ko", SuseImage.built("a", NEW).exporting("service", Table.NORMAL, 1));
    image.tree.module(NEW, "kernel/user.ko", SuseImage.built("user", NEW).importing("service", 1));
    String file =
        image.module(
            OLD, "a", SuseImage.built("a", OLD).exporting("service", Table.NORMAL, 2), "a");
    image.rpm.install(ONE, file);

    WholeRun run = image.run("", "--add-kmp", ONE, "--debug");

    assertThat(run.err())
        .contains(
            refused(ONE, NEW),
            file + ": these modules of the kernel would not load any more: user\n");
    assertThat(image.linked(NEW, file)).isNull();
  }

  @Test
  void aModuleOfTheKernelThatDoesNotLoadAnywayIsNoObstacle() throws IOException {
    image.tree.module(NEW, "kernel/broken.ko", SuseImage.built("broken", NEW).importing("gone", 1));
    String file = install(ONE, "a", 5);

    assertThat(image.run("", "--add-kmp", ONE).status()).isZero();

    assertThat(image.linked(NEW, file)).isEqualTo(file);
  }

  @Test
  void aPackageThatAnotherOneNeedsIsNotReplacedByOneThatBreaksIt() throws IOException {
    String service = image.module(OLD, "s1", exporting("s", "service", "_printk", 5), "s");
    String user = image.module(OLD, "u", SuseImage.built("u", OLD).importing("service", 7), "u");
    image.rpm.install(ONE, service).install("user-kmp-default-1-1", user);
    image.run("", "--add-kernel", NEW);
    assertThat(image.linked(NEW, user)).isEqualTo(user);
    String newer =
        image.module(
            OLD, "s2", SuseImage.built("s", OLD).exporting("service", Table.NORMAL, 8), "s");
    image.rpm.install(TWO, newer);

    WholeRun run = image.run("", "--add-kmp", TWO, "-v", "-v");

    assertThat(run.err().lines())
        .contains(
            TWO + ": user-kmp-default-1-1 would not load any more",
            "Package " + ONE + " kept in kernel " + NEW + " (not replaced by " + TWO + ")");
    assertThat(image.linked(NEW, service)).isEqualTo(service);
  }

  @Test
  void danglingLinksOfOtherVersionsAreInNobodysWayAndGo() throws IOException {
    String file = install(ONE, "a", 5);
    String gone = "/usr/lib/modules/" + OLD + "/updates/earlier/a.ko";
    Files.createDirectories(image.link(NEW, gone).getParent());
    Files.createSymbolicLink(image.link(NEW, gone), Path.of(gone));

    image.run("", "--add-kmp", ONE);

    assertThat(image.linked(NEW, file)).isEqualTo(file);
    assertThat(image.linked(NEW, gone)).isNull();
  }

  @Test
  void aKernelThatLosesModulesLosesTheLinksThatNeedThem() throws IOException {
    image.tree.module(
        NEW, "kernel/base.ko", SuseImage.built("base", NEW).exporting("base", Table.NORMAL, 1));
    String file = image.module(OLD, "a", SuseImage.built("a", OLD).importing("base", 1), "a");
    image.rpm.install(ONE, file);
    image.run("", "--add-kernel", NEW);
    assertThat(image.linked(NEW, file)).isEqualTo(file);
    Path base = image.tree.modules(NEW).resolve("kernel/base.ko");
    Files.delete(base);

    WholeRun run = image.run(base + "\n", "--remove-kernel-modules", NEW, "-v");

    assertThat(run.err()).contains("Package " + ONE + " removed from kernel " + NEW + "\n");
    assertThat(image.linked(NEW, file)).isNull();
    image.tree.module(
        NEW, "kernel/base.ko", SuseImage.built("base", NEW).exporting("base", Table.NORMAL, 1));
    image.run(base + "\n", "--add-kernel-modules", NEW);
    assertThat(image.linked(NEW, file)).isEqualTo(file);
  }

  @Test
  void aRemovedKernelLeavesNothingBehind() throws IOException {
    String file = install(ONE, "a", 5);
    image.run("", "--add-kmp", ONE);
    Path kernel = image.tree.modules(NEW);
    for (String name : List.of("kernel/own.ko", "kernel", "vmlinuz", "symvers.gz")) {
      Files.delete(kernel.resolve(name));
    }
    try (var left = Files.newDirectoryStream(kernel, "modules.*")) {
      for (Path index : left) {
        Files.delete(index);
      }
    }

    assertThat(image.run("", "--remove-kernel", NEW)).isEqualTo(new WholeRun(0, "", ""));

    assertThat(kernel).doesNotExist();
    assertThat(image.host(file)).exists();
  }

  @Test
  void anInstalledKernelLosesItsLinksOnly() throws IOException {
    String file = install(ONE, "a", 5);
    image.run("", "--add-kmp", ONE);

    assertThat(image.run("", "--remove-kernel", NEW).status()).isZero();

    assertThat(image.linked(NEW, file)).isNull();
    assertThat(image.tree.modules(NEW).resolve("kernel/own.ko")).exists();
    assertThat(image.tree.modules(NEW).resolve("modules.dep"))
        .content()
        .doesNotContain("weak-updates");
  }

  @Test
  void packagesBuiltFromTheKernelsOwnSourcesAreNotLooked() throws IOException {
    String file = image.module(OLD, "a", "a", 5);
    image.rpm.install(ONE, List.of("kmp_in_kernel"), List.of(file));

    WholeRun run = image.run("", "--add-kmp", ONE);

    assertThat(run)
        .isEqualTo(
            new WholeRun(1, "", "ERROR: " + ONE + " is not an installed kernel module package\n"));
  }

  @Test
  void packagesForSeveralKernelsOrInForeignPlacesAreRefused() throws IOException {
    image.rpm.install(
        ONE, image.module(OLD, "a", "a", 5), image.module("6.4.0-9-default", "a", "b", 5));
    image.rpm.install("bad-kmp-default-1-1", "/usr/lib/modules/" + OLD + "/kernel/bad.ko");

    WholeRun several = image.run("", "--add-kmp", ONE);

    assertThat(several.status()).isEqualTo(1);
    assertThat(several.err().lines())
        .containsExactlyInAnyOrder(
            "Error: package " + ONE + " seems to contain modules for multiple kernel versions",
            "Error: package bad-kmp-default-1-1 must not install modules into kernel/ or"
                + " weak-updates/",
            "ERROR: " + ONE + " is not an installed kernel module package");
    String good = install("good-kmp-default-1-1", "good", 5);
    assertThat(image.run("", "--add-kernel", NEW).status()).isZero();
    assertThat(image.linked(NEW, good)).isEqualTo(good);
  }

  @Test
  void aDryRunWritesNothing() throws IOException {
    String file = install(ONE, "a", 5);
    image.environment.put("INITRD_IN_POSTTRANS", "1");
    List<String> before = image.listing();

    WholeRun run = image.run("", "--add-kmp", ONE, "--dry-run", "-v", "--logfile", "x.log");

    assertThat(run.status()).isZero();
    assertThat(run.err()).contains("Package " + ONE + " added to kernel " + NEW + "\n");
    image.run("", "--add-kernel", NEW, "--dry-run");
    image.run("", "--remove-kernel", NEW, "--dry-run");
    image.run(file, "--remove-kmp", TWO, "--dry-run");
    assertThat(image.listing()).isEqualTo(before);
  }

  @Test
  void messagesGoToTheLogFile() throws IOException {
    install(ONE, "a", 5);
    Files.createDirectories(image.host("/var/log"));
    image.environment.put("WM2_VERBOSE", "1");

    WholeRun run = image.run("", "--add-kmp", ONE, "--logfile", "wm2.log");

    assertThat(run)
        .isEqualTo(new WholeRun(0, "", "weak-modules2: appending output to /var/log/wm2.log\n"));
    assertThat(image.host("/var/log/wm2.log"))
        .content()
        .contains("Package " + ONE + " added to kernel " + NEW + "\n");
  }

  @Test
  void anInitrdIsAskedForOnRemovalOnlyIfItIsDueAnyway() throws IOException {
    String file = install(ONE, "a", 5);
    image.environment.put("INITRD_IN_POSTTRANS", "1");
    image.run("", "--add-kernel", NEW);
    image.rpm.erase(ONE);
    Files.delete(image.host(file));
    image.tree.file("run/regenerate-initrd/" + NEW, new byte[0]);

    WholeRun run = image.run(file + "\n", "--remove-kmp", ONE);

    assertThat(run).isEqualTo(new WholeRun(0, "", initrds(OLD)));
    assertThat(image.host("/run/regenerate-initrd/" + OLD)).doesNotExist();
  }

  @Test
  void anImageWithoutPackagesIsNamed() {
    WholeRun run =
        WholeRun.reading(
            new byte[0],
            "weak-modules2",
            "--basedir",
            directory.resolve("rpm").toString(),
            "--add-kmp",
            ONE);

    assertThat(run.status()).isEqualTo(1);
    assertThat(run.err()).startsWith("ERROR: there is no RPM database in ");
  }

  @Test
  void aMissingKernelIsNothingToDo() throws IOException {
    List<String> before = image.listing();

    assertThat(image.run("", "--add-kernel", "6.4.0-7-default")).isEqualTo(new WholeRun(0, "", ""));
    assertThat(image.run("", "--remove-kernel", "6.4.0-7-default"))
        .isEqualTo(new WholeRun(0, "", ""));

    assertThat(image.listing()).isEqualTo(before);
  }

  @Test
  void wrongUsageIsToldWithTheUsage() {
    assertUsage(image.run(""), "ERROR: Please specify one of the --add-* or --remove-* options");
    assertUsage(
        image.run("", "--add-kmp"), "ERROR: Option --add-kmp requires exactly one argument");
    assertUsage(
        image.run("", "--add-kernel", "a", "b"), "ERROR: Too many arguments to --add-kernel");
    assertUsage(image.run("", "--frob"), "weak-modules2: unrecognized option '--frob'");
    assertThat(image.run("", "--usage").out()).startsWith("Usage:\n    weak-modules2 --add-kmp");
    assertThat(image.run("", "-h").status()).isZero();
  }

  private static void assertUsage(WholeRun run, String message) {
    assertThat(run.status()).isEqualTo(1);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith(message + "\nUsage:\n");
  }

  @Test
  void hostileFileNamesReachNoTerminal() throws IOException {
    String file = install(ONE, "a", 5);
    image.tree.module(NEW, "extra/\u001b[2J/a.ko", SuseImage.built("a", NEW));

    WholeRun run = image.run("", "--add-kmp", ONE, "--debug");

    assertThat(run.status()).isZero();
    assertThat(run.err()).contains("/extra/\\x1b[2J/a.ko\n").doesNotContain("\u001b");
    assertThat(image.linked(NEW, file)).isNull();
  }
}
