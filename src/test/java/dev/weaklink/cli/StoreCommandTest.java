package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.archive.TarWriter;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec;
import dev.weaklink.testing.SymversBuilder;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole program with kernels that were seen before. */
class StoreCommandTest {
  private static final String RELEASE = "6.1.0-9-test";

  @TempDir Path directory;
  private Path root;
  private Path store;
  private String good;
  private String bad;

  @BeforeEach
  void install() throws IOException {
    root = Files.createDirectory(directory.resolve("root"));
    store = directory.resolve("store");
    good = Files.write(directory.resolve("good.ko"), module("good", 5)).toString();
    bad = Files.write(directory.resolve("bad.ko"), module("bad", 6)).toString();
  }

  private static byte[] module(String name, int printk) {
    return builder(name).importing("_printk", printk).importing("own_fn", 0xaa).build();
  }

  private static ModuleBuilder builder(String name) {
    return ModuleBuilder.typical(Machine.X86_64, name)
        .withoutModInfo("vermagic")
        .modInfo("vermagic=" + RELEASE + " SMP mod_unload modversions ");
  }

  /** A kernel in a package: a symvers file of vmlinux alone, and a module of its own. */
  private String kernelPackage() throws IOException {
    byte[] symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
            .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5)
            .bytes();
    byte[] own = builder("own").exporting("own_fn", ModuleSpec.Export.Table.NORMAL, 0xaa).build();
    String top = "./lib/modules/" + RELEASE;
    TarWriter tar =
        new TarWriter().file(top + "/symvers", symvers).file(top + "/kernel/drivers/own.ko", own);
    return Files.write(directory.resolve("kernel.tar"), tar.bytes()).toString();
  }

  private WholeRun run(String... words) {
    return WholeRun.of(words);
  }

  private WholeRun check(String... more) {
    List<String> words = new ArrayList<>(List.of("check", "--root", root.toString()));
    words.addAll(List.of("--store", store.toString(), good, bad));
    words.addAll(List.of(more));
    return run(words.toArray(new String[0]));
  }

  private void keep() throws IOException {
    WholeRun run = run("store", "add", "--store", store.toString(), kernelPackage());
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).matches(RELEASE + "@[0-9a-f]{12}\n");
    assertThat(run.status()).isZero();
  }

  private Path entry() throws IOException {
    try (Stream<Path> files = Files.list(store)) {
      List<Path> all = files.filter(file -> file.toString().endsWith(".zip")).toList();
      assertThat(all).hasSize(1);
      return all.get(0);
    }
  }

  @Test
  void aKeptKernelGivesTheVerdictsThatItsPackageGave() throws IOException {
    WholeRun before = check("--kernel", kernelPackage());
    Files.delete(directory.resolve("kernel.tar"));
    WholeRun after = check("--kernel", RELEASE);
    assertThat(after.err()).isEmpty();
    assertThat(after.status()).isEqualTo(1).isEqualTo(before.status());
    assertThat(after.out())
        .startsWith(RELEASE + " (stored kernel): 2 symbols of vmlinux")
        .contains("2 verdicts: 1 compatible, 1 incompatible");
    assertThat(verdicts(after)).isEqualTo(verdicts(before)).isNotEmpty();
  }

  private static List<String> verdicts(WholeRun run) {
    return run.out().lines().filter(line -> line.matches("(IN)?COMPATIBLE .*|.*dmesg:.*")).toList();
  }

  @Test
  void withoutAStoreNamedACheckKeepsNothingAndReadsTheRootsOwn() throws IOException {
    String kernel = kernelPackage();
    run("check", "--root", root.toString(), good, "--kernel", kernel);
    try (Stream<Path> files = Files.list(root)) {
      assertThat(files).isEmpty();
    }
    assertThat(run("store", "add", "--root", root.toString(), kernel).status()).isZero();
    assertThat(root.resolve("var/lib/weaklink/kernels")).isDirectoryNotContaining("glob:**.new-*");
    WholeRun run = run("check", "--root", root.toString(), good, "--kernel", RELEASE);
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
  }

  @Test
  void anInstalledKernelGoesBeforeAKeptOne() throws IOException {
    keep();
    TreeBuilder.in(root).module(RELEASE, "kernel/own.ko", builder("own"));
    assertThat(check("--kernel", RELEASE).out()).startsWith(RELEASE + " (installed kernel)");
  }

  @Test
  void aCorruptKernelIsNamedAndLeftAside() throws IOException {
    keep();
    Path entry = entry();
    byte[] bytes = Files.readAllBytes(entry);
    bytes[bytes.length / 2] ^= 1;
    Files.write(entry, bytes);
    WholeRun check = check("--kernel", RELEASE);
    assertThat(check.status()).isEqualTo(2);
    assertThat(check.err()).contains(entry + ": ", "; skipped; remove it with");
    WholeRun list = run("store", "list", "--store", store.toString());
    assertThat(list.status()).isEqualTo(2);
    assertThat(list.out()).isEmpty();
    run("store", "prune", "--store", store.toString());
    assertThat(entry).doesNotExist();
  }

  @Test
  void twoKernelsOfOneReleaseAreToldApartByTheirDigests() throws IOException {
    keep();
    Path other = Files.createDirectory(directory.resolve("other"));
    byte[] symvers =
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 6)
            .kernel("own_fn", SymversBuilder.Kind.EXPORT_SYMBOL, 0xaa)
            .bytes();
    Path tar = other.resolve("kernel.tar");
    Files.write(
        tar, new TarWriter().file("./lib/modules/" + RELEASE + "/symvers", symvers).bytes());
    WholeRun add = run("store", "add", "--store", store.toString(), tar.toString());
    WholeRun unclear = check("--kernel", RELEASE);
    assertThat(unclear.status()).isEqualTo(2);
    assertThat(unclear.err()).contains("several kernels of that name are in the store");
    assertThat(check("--kernel", add.out().strip()).out()).contains("COMPATIBLE    bad");
  }

  @Test
  void whatIsPushedCanBePulledElsewhereOnce() throws IOException {
    keep();
    Path layout = directory.resolve("layout");
    String elsewhere = directory.resolve("elsewhere").toString();
    WholeRun push = run("store", "push", "oci:" + layout, "--store", store.toString());
    assertThat(push.status()).isZero();
    assertThat(push.out().lines().toList()).hasSize(2);
    WholeRun pull = run("store", "pull", "oci:" + layout, "--store", elsewhere);
    assertThat(pull.err()).isEmpty();
    assertThat(pull.out()).isEqualTo(entry().getFileName() + "\n");
    assertThat(run("store", "list", "--store", elsewhere).out()).startsWith(RELEASE + "@");
    assertThat(run("store", "pull", "oci:" + layout, "--store", elsewhere).out()).isEmpty();
    assertThat(run("store", "push", "oci:" + layout, "--store", elsewhere).out()).isEmpty();
    WholeRun none = run("store", "push", "oci:" + layout, "9.9", "--store", store.toString());
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.err())
        .contains("9.9: no such kernel in " + store, "add kernels with 'weaklink store");
    assertThat(run("store", "pull", "oci:" + layout + "0", "--store", elsewhere).messages())
        .containsExactly("oci:" + layout + "0: no such library; 'weaklink store push' makes one");
    assertThat(run("store", "pull", "nonsense", "--store", elsewhere).messages())
        .containsExactly("nonsense: a library is oci:DIRECTORY or HOST/NAME:TAG");
  }

  @Test
  void aLayerThatIsNotWhatItsDigestSaysIsNotTaken() throws IOException {
    keep();
    Path layout = directory.resolve("layout");
    String elsewhere = directory.resolve("elsewhere").toString();
    run("store", "push", "oci:" + layout, "--store", store.toString());
    try (Stream<Path> blobs = Files.list(layout.resolve("blobs/sha256"))) {
      for (Path blob : blobs.toList()) {
        byte[] bytes = Files.readAllBytes(blob);
        if (bytes[0] == 'P') { // PK: the kernel
          bytes[bytes.length / 2] ^= 1;
          Files.write(blob, bytes);
        }
      }
    }
    WholeRun pull = run("store", "pull", "oci:" + layout, "--store", elsewhere);
    assertThat(pull.status()).isEqualTo(2);
    assertThat(pull.err()).contains("is not what its digest says; not taken");
    assertThat(run("store", "list", "--store", elsewhere).out()).isEmpty();
  }

  @Test
  void kernelsOfARepositoryAreKeptOnceAndABadOneIsNamed() throws IOException {
    Path repository = directory.resolve("mirror/pool/main/l/linux");
    Files.createDirectories(repository);
    Files.copy(
        Path.of(kernelPackage()),
        repository.resolve("linux-image-" + RELEASE + "-unsigned_6.1.9-1_amd64.deb"));
    Path bad = repository.resolve("linux-image-6.1.0-10-test_6.1.10-1_amd64.deb");
    Files.writeString(bad, "!<arch>\nnothing more");
    Files.copy(bad, repository.resolve("linux-image-" + RELEASE + "-dbg_6.1.9-1_amd64.deb"));
    Files.copy(bad, repository.resolve("linux-headers-6.1.0-9-common_6.1.9-1_all.deb"));
    String url = "file://" + directory.resolve("mirror");
    WholeRun first = run("store", "add", "--from-repository", url, "--store", store.toString());
    assertThat(first.out()).matches(RELEASE + "@[0-9a-f]{12}\n");
    assertThat(first.err()).contains(bad + ": ");
    assertThat(first.messages()).hasSize(2);
    assertThat(first.status()).isEqualTo(2);
    WholeRun second =
        run("store", "add", "--from-repository", url, "--store", store.toString(), "--dry-run");
    assertThat(second.out()).isEqualTo("6.1.0-10-test: " + bad + "\n");
    Files.delete(bad);
    WholeRun third = run("store", "add", "--from-repository", url, "--store", store.toString());
    assertThat(third.out() + third.err()).isEmpty();
    assertThat(third.status()).isZero();
  }

  @Test
  void packagesOfARepositoryAreKernelsByTheirNames() throws IOException {
    Path repository = Files.createDirectories(directory.resolve("mirror/Packages/k"));
    for (String name :
        List.of(
            "kernel-5.14.0-503.11.1.el9_5.x86_64",
            "kernel-core-5.14.0-503.11.1.el9_5.x86_64",
            "kernel-modules-5.14.0-503.11.1.el9_5.x86_64",
            "kernel-devel-5.14.0-503.11.1.el9_5.x86_64",
            "kernel-doc-5.14.0-503.11.1.el9_5.noarch",
            "kernel-tools-libs-5.14.0-503.11.1.el9_5.x86_64",
            "kernel-rt-debug-core-5.14.0-503.11.1.el9_5.x86_64",
            "kernel-rt-core-4.18.0-553.rt7.342.el8_10.x86_64",
            "kernel-uek-core-5.15.0-300.163.18.el9uek.x86_64",
            "kernel-lt-6.1.100-1.el9.elrepo.x86_64",
            "kernel-64k-devel-5.14.0-503.11.1.el9_5.aarch64",
            "kernel-64k-devel-matched-5.14.0-503.11.1.el9_5.aarch64",
            "kernel-64k-modules-extra-5.14.0-503.11.1.el9_5.aarch64",
            "kernel-modules-extra-5.14.0-570.el9_6.x86_64",
            "kernel-3.10.0-1160.el7.x86_64",
            "kernel-default-6.4.0-150600.23.17.1.aarch64",
            "kernel-default-6.4.0-150600.23.17.1.x86_64",
            "kernel-default-extra-6.4.0-150600.23.17.1.x86_64",
            "kernel-default-base-6.4.0-150600.23.17.1.x86_64")) {
      Files.write(
          repository.resolve(name + ".rpm"),
          new byte[] {(byte) 0xed, (byte) 0xab, (byte) 0xee, (byte) 0xdb, 3});
    }
    String place = directory.resolve("mirror").toString();
    WholeRun run =
        run("store", "add", "--from-repository", place, "--dry-run", "--store", store.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.out().replace(repository + "/", ""))
        .isEqualTo(
            """
            3.10.0-1160.el7.x86_64: kernel-3.10.0-1160.el7.x86_64.rpm
            4.18.0-553.rt7.342.el8_10.x86_64: kernel-rt-core-4.18.0-553.rt7.342.el8_10.x86_64.rpm
            5.14.0-503.11.1.el9_5.aarch64+64k: kernel-64k-devel-5.14.0-503.11.1.el9_5.aarch64.rpm
            5.14.0-503.11.1.el9_5.x86_64: kernel-core-5.14.0-503.11.1.el9_5.x86_64.rpm \
            kernel-modules-5.14.0-503.11.1.el9_5.x86_64.rpm
            5.14.0-503.11.1.el9_5.x86_64+rt-debug: \
            kernel-rt-debug-core-5.14.0-503.11.1.el9_5.x86_64.rpm
            5.15.0-300.163.18.el9uek.x86_64: kernel-uek-core-5.15.0-300.163.18.el9uek.x86_64.rpm
            6.1.100-1.el9.elrepo.x86_64: kernel-lt-6.1.100-1.el9.elrepo.x86_64.rpm
            6.4.0-150600.23.17-default: kernel-default-6.4.0-150600.23.17.1.aarch64.rpm
            6.4.0-150600.23.17-default: kernel-default-6.4.0-150600.23.17.1.x86_64.rpm \
            kernel-default-extra-6.4.0-150600.23.17.1.x86_64.rpm
            """);
  }

  @Test
  void whatARepositoryIsNotIsSaid() {
    String place = directory.resolve("root").toString();
    assertThat(run("store", "add", "--from-repository", place).messages())
        .containsExactly(place + ": neither packages nor module files below it");
    assertThat(run("store", "add", "--from-repository", "http://mirror.example/el9").err())
        .isEqualTo(
            "weaklink: http://mirror.example/el9: not a directory; mirror it first, as with 'dnf"
                + " reposync' or debmirror\nTry: weaklink store add --help\n");
    assertThat(run("store", "add", "--dry-run").err())
        .isEqualTo(
            "weaklink: --dry-run goes with --from-repository\nTry: weaklink store add --help\n");
  }

  @Test
  void pruneKeepsAsManyAsIsSaid() throws IOException {
    keep();
    assertThat(run("store", "prune", "--keep", "1", "--store", store.toString()).out()).isEmpty();
    assertThat(run("store", "prune", RELEASE, "--store", store.toString()).out())
        .startsWith(RELEASE + "@");
    assertThat(run("store", "list", "--store", store.toString()).out()).isEmpty();
  }

  @Test
  void aKernelOfWhichNotAllIsKnownIsNotKept() throws IOException {
    String symvers =
        Files.write(
                directory.resolve("Module.symvers"),
                new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                    .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5)
                    .bytes())
            .toString();
    WholeRun run = run("store", "add", symvers, "--store", store.toString());
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.messages()).containsExactly(symvers + ": not kept: its release is not known");
    assertThat(check("--kernel", symvers).err()).isEmpty();
    assertThat(store).doesNotExist();
  }

  @Test
  void theListForProgramsIsAsItsSchemaSays() throws IOException {
    keep();
    String json = run("store", "list", "--format", "json", "--store", store.toString()).out();
    assertThat(Schemas.problems(json)).isEmpty();
  }
}
