package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.report.Schemas;
import dev.weaklink.sys.RootText;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Packing;
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

/** Which kernels that apt offers are held, and that nothing else is. */
class HoldCommandTest {
  private static final String OLD = "6.1.0-8-amd64";
  private static final String BAD = "6.1.0-9-amd64";
  private static final String GOOD = "6.1.0-10-amd64";
  private static final String PINS = "etc/apt/preferences.d/weaklink-hold.pref";
  private static final String MOTD = "etc/motd.d/weaklink-hold";
  private static final String CONFIG = "etc/weaklink/weaklink.conf";
  private static final String LIST = "var/lib/apt/lists/deb_dists_x_main_binary-amd64_Packages";

  @TempDir Path directory;
  private Path root;
  private TreeBuilder tree;

  @BeforeEach
  void install() throws IOException {
    root = Files.createDirectory(directory.resolve("root"));
    Files.createDirectories(root.resolve("etc/apt/preferences.d"));
    tree = TreeBuilder.in(root);
    tree.module(OLD, "kernel/own.ko", module("own", 5).build(), Compression.NONE);
    tree.module(OLD, "updates/acme.ko", module("acme", 5).build(), Compression.NONE);
    tree.symvers(TreeBuilder.SymversPlace.values()[0], OLD, symvers(5));
    file(
        "var/lib/dpkg/status",
        "Package: linux-image-amd64\nStatus: install ok installed\nVersion: 6.1.8-1\n\n"
            + ("Package: linux-image-" + OLD + "\nStatus: install ok installed\n")
            + "Version: 6.1.8-1\n");
  }

  private static ModuleBuilder module(String name, int printk) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + OLD + " SMP mod_unload modversions ")
        .importing("_printk", printk);
  }

  private static SymversBuilder symvers(int printk) {
    return new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
        .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
        .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, printk);
  }

  private void file(String path, String text) throws IOException {
    Files.createDirectories(root.resolve(path).getParent());
    Files.writeString(root.resolve(path), text);
  }

  /** What a list says of a kernel and the package that installs it. */
  private static String offered(String release, String version) {
    return stanza("linux-image-" + release, version, "kmod, linux-base (>= 4.3~)")
        + stanza("linux-headers-" + release, version, "linux-kbuild-6.1")
        + stanza("linux-image-amd64", version, "linux-image-" + release + " (= " + version + ")")
        + stanza("linux-libc-dev", version, "");
  }

  private static String stanza(String name, String version, String depends) {
    return "Package: "
        + name
        + "\nArchitecture: amd64\nVersion: "
        + version
        + (depends.isEmpty() ? "" : "\nDepends: " + depends)
        + "\nDescription: x\n more\n\n";
  }

  /** Keeps a kernel whose printk has this CRC, as its headers would be kept. */
  private void keep(String release, int printk) throws IOException {
    Path headers = Files.createDirectories(directory.resolve("linux-headers-" + release));
    Files.write(headers.resolve("Module.symvers"), symvers(printk).bytes());
    Files.createDirectories(headers.resolve("include/config"));
    Files.writeString(headers.resolve("include/config/kernel.release"), release + "\n");
    assertThat(run("store", "add", "--root", root.toString(), headers.toString()).status())
        .isZero();
  }

  private static WholeRun run(String... words) {
    return WholeRun.of(words);
  }

  private WholeRun hold(String... more) {
    List<String> words = new ArrayList<>(List.of("hold", "--root", root.toString()));
    words.addAll(List.of(more));
    return run(words.toArray(new String[0]));
  }

  @Test
  void onlyTheKernelThatWouldRefuseAModuleIsHeldAndWhatWouldInstallIt() throws IOException {
    file(LIST, offered(BAD, "6.1.9-1"));
    keep(BAD, 6);

    WholeRun shown = hold();
    assertThat(shown.status()).isEqualTo(1);
    assertThat(shown.out()).contains("HOLD     " + BAD, "would be held with hold = yes:");
    assertThat(root.resolve(PINS)).doesNotExist();

    file(CONFIG, "hold = yes\n");
    assertThat(hold("--dry-run").out()).contains("would be held:");
    assertThat(root.resolve(PINS)).doesNotExist();

    assertThat(hold().status()).isEqualTo(1);
    assertThat(Files.readString(root.resolve(PINS)))
        .contains(
            "Package: linux-headers-6.1.0-9-amd64 linux-image-6.1.0-9-amd64 linux-image-amd64\n"
                + "Pin: version 6.1.9-1\nPin-Priority: -1\n")
        .doesNotContain("libc");
    assertThat(Files.readString(root.resolve(MOTD))).contains(BAD + " is held back since 20");
    assertThat(hold("--units").out()).isEqualTo(Files.readString(root.resolve(MOTD)));
    assertThat(Schemas.problems(hold("--format", "json").out())).isEmpty();
    assertThat(Schemas.problems(Files.readString(root.resolve("var/lib/weaklink/hold.json"))))
        .isEmpty();
  }

  @Test
  void aNewerBuildOfTheDriverThatIsOfferedIsNamed() throws IOException {
    file("var/lib/dpkg/info/acme-driver.list", "/.\n/lib/modules/" + OLD + "/updates/acme.ko\n");
    file(
        "var/lib/dpkg/status",
        Files.readString(root.resolve("var/lib/dpkg/status"))
            + "\nPackage: acme-driver\nStatus: install ok installed\nVersion: 1.9-1\n");
    keep(BAD, 6);
    file(
        LIST,
        offered(BAD, "6.1.9-1")
            + stanza("acme-driver", "1.9-1", "")
            + stanza("acme-driver", "1.10-1", ""));
    WholeRun run = hold("--format", "json");
    assertThat(Schemas.problems(run.out())).isEmpty();
    assertThat(run.out())
        .contains(
            "\"drivers\":[{\"module\":\"acme\",\"package\":\"acme-driver\",\"version\":\"1.10-1\","
                + "\"architecture\":\"amd64\",\"comes\":true}]");
    assertThat(hold().out())
        .contains("HOLD     " + BAD, "offered: acme in acme-driver=1.10-1; whether it fits is not");

    file(
        LIST,
        offered(BAD, "6.1.9-1") + stanza("acme-driver", "1.10-1", "libc6, linux-image-" + BAD));
    file(CONFIG, "hold = yes\n");
    assertThat(hold().out())
        .contains("UPDATE   " + BAD, "acme-driver=1.10-1, made for it, which comes with it");
    assertThat(root.resolve(PINS)).doesNotExist();
  }

  @Test
  void aKernelThatFitsReleasesItAndTheOldPackageOfThatNameStaysHeld() throws IOException {
    file(CONFIG, "hold = yes\n");
    file(LIST, offered(BAD, "6.1.9-1"));
    keep(BAD, 6);
    hold();
    file(LIST, offered(BAD, "6.1.9-1") + offered(GOOD, "6.1.10-1"));
    keep(GOOD, 5);

    assertThat(hold().out()).contains("FITS     " + GOOD, "newest that fits: " + GOOD);
    assertThat(Files.readString(root.resolve(PINS))).contains("6.1.9-1").doesNotContain("6.1.10-1");

    file(LIST, offered(GOOD, "6.1.10-1"));
    WholeRun run = hold();
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("nothing is held");
    assertThat(root.resolve(PINS)).doesNotExist();
    assertThat(root.resolve(MOTD)).doesNotExist();
  }

  @Test
  void anotherBuildOfAHeldKernelIsNotJudgedByTheOneThatWasKept() throws IOException {
    file(CONFIG, "hold = yes\n");
    file(LIST, offered(BAD, "6.1.9-1"));
    keep(BAD, 6);
    hold();
    file(LIST, offered(BAD, "6.1.9-2"));

    assertThat(hold().out()).contains("UNKNOWN  " + BAD);
    assertThat(root.resolve(PINS)).doesNotExist();
  }

  @Test
  void whatDkmsBuildsWithEveryKernelHoldsNoneUnlessTheSiteWantsThat() throws IOException {
    Files.delete(root.resolve("lib/modules/" + OLD + "/updates/acme.ko"));
    tree.module(OLD, "updates/dkms/acme.ko", module("acme", 5).build(), Compression.NONE);
    file(
        "var/lib/dkms/acme/1.0/source/dkms.conf",
        "PACKAGE_NAME=acme\nPACKAGE_VERSION=1.0\nBUILT_MODULE_NAME[0]=acme\n"
            + "DEST_MODULE_LOCATION[0]=/updates/dkms\nAUTOINSTALL=yes\n");
    file(LIST, offered(BAD, "6.1.9-1"));
    keep(BAD, 6);

    file(CONFIG, "hold = yes\n");
    assertThat(hold().out()).contains("REBUILD  " + BAD, "nothing is held");
    assertThat(root.resolve(PINS)).doesNotExist();

    file(CONFIG, "hold = yes\nhold-for-rebuild = yes\n");
    assertThat(hold().out().replaceAll("\\s+", " "))
        .contains(
            "HOLD " + BAD, "let in by: a build of acme that fits, or 'hold-for-rebuild = no'");
    assertThat(root.resolve(PINS)).exists();
  }

  @Test
  void aKernelThatWasKeptInAFormNobodyReadsAnyMoreIsLookedAtAgain() throws IOException {
    file(CONFIG, "hold = yes\n");
    file(LIST, offered(BAD, "6.1.9-1"));
    keep(BAD, 6);
    hold();
    for (String name : RootText.names(root.resolve("var/lib/weaklink/kernels"))) {
      Files.writeString(root.resolve("var/lib/weaklink/kernels").resolve(name), "old");
    }
    WholeRun run = hold();
    assertThat(run.out()).contains("UNKNOWN  " + BAD, "have not been looked at");
    assertThat(run.err()).isEmpty();

    keep(BAD, 6);
    assertThat(hold().out()).contains("HOLD     " + BAD);
  }

  @Test
  void aKernelThatIsNotKnownIsNeverHeld() throws IOException {
    file(CONFIG, "hold = yes\n");
    file(LIST, offered(BAD, "6.1.9-1"));

    WholeRun run = hold();
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.out()).contains("UNKNOWN  " + BAD, "have not been looked at", "nothing is held");
    assertThat(root.resolve(PINS)).doesNotExist();
  }

  @Test
  void whatWasHeldIsLetGoWhenAskedForAndWhenTheSiteNoLongerWantsIt() throws IOException {
    file(LIST, offered(BAD, "6.1.9-1"));
    keep(BAD, 6);
    for (boolean asked : List.of(true, false)) {
      file(CONFIG, "hold = yes\n");
      hold();
      assertThat(root.resolve(PINS)).exists();
      if (asked) {
        assertThat(hold("--off").out()).isEqualTo("no kernel is held any more\n");
      } else {
        file(CONFIG, "hold = no\n");
        hold();
      }
      assertThat(root.resolve(PINS)).doesNotExist();
      assertThat(root.resolve(MOTD)).doesNotExist();
    }
  }

  @Test
  void whereThePinsCannotBeWrittenNothingIsHeldAndALineSaysSo() throws IOException {
    file(CONFIG, "hold = yes\n");
    file(LIST, offered(BAD, "6.1.9-1"));
    keep(BAD, 6);
    Files.createDirectories(root.resolve(PINS + ".new/full"));

    WholeRun run = hold();
    assertThat(run.status()).isEqualTo(4);
    assertThat(run.err()).contains("nothing is held");
    assertThat(root.resolve(PINS)).doesNotExist();
    assertThat(root.resolve(MOTD)).doesNotExist();
  }

  @Test
  void listsMayBePackedAndOneThatIsCorruptDoesNotHideTheOthers() throws IOException {
    byte[] list = offered(BAD, "6.1.9-1").getBytes(StandardCharsets.UTF_8);
    file(LIST, "");
    Files.delete(root.resolve(LIST));
    keep(BAD, 6);
    for (Packing packing : List.of(Packing.GZIP, Packing.XZ, Packing.ZSTD, Packing.LZ4_FRAME)) {
      byte[] packed = packing.pack(list);
      Files.write(root.resolve(LIST + ".lz4"), packed);
      Files.write(
          root.resolve(LIST.replace("_x_", "_y_") + ".xz"),
          Arrays.copyOf(packed, packed.length / 2));
      WholeRun run = hold();
      assertThat(run.out()).contains("HOLD     " + BAD);
      assertThat(run.err()).contains("_y_main_binary-amd64_Packages.xz: ");
    }
  }

  @Test
  void whatIsNoListIsSaidAndHoldsNothing() throws IOException {
    file(CONFIG, "hold = yes\n");
    file(LIST, offered(BAD, "6.1.9-1"));
    keep(BAD, 6);
    assertThat(hold().status()).isEqualTo(1);
    file(LIST, "\u0001\u0002 <html>");
    WholeRun run = hold();
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.err()).contains(LIST + ": not a list of packages");
    assertThat(root.resolve(PINS)).doesNotExist();
    file(LIST, "");
    assertThat(hold().status()).isZero();
  }

  @Test
  void aNameOrVersionThatAptWouldReadAsAPatternIsNotWritten() throws IOException {
    file(CONFIG, "hold = yes\n");
    file(LIST, offered(BAD, "6.1.9-1\u0001*") + offered("6.1.0-9-amd64*", "6.1.9-1"));
    keep(BAD, 6);

    assertThat(hold().out()).contains("offers no kernel newer");
    assertThat(root.resolve(PINS)).doesNotExist();
  }

  @Test
  void withoutListsItSaysWhatToDo() {
    WholeRun run = hold();
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).contains("no package manager has lists here; run 'apt update' first");
  }

  @Test
  void kernelsOfAnotherKindOrSeriesAreNoMatterUnlessAnUpdateWouldInstallThem() throws IOException {
    String other = "6.12.1+deb12-amd64";
    file(LIST, offered("6.1.0-9-cloud-amd64", "6.1.9-1"));
    assertThat(hold().out()).contains("offers no kernel newer");
    file(LIST, stanza("linux-image-" + other, "6.12.1-1", ""));
    assertThat(hold().out()).contains("offers no kernel newer");
    file(LIST, offered(other, "6.12.1-1"));
    assertThat(hold().out()).contains("UNKNOWN  " + other);
  }
}
