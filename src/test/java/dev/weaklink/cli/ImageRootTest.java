package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole program on the trees of images: which modules and kernels are meant, and links. */
class ImageRootTest {
  private static final String OLD = "6.1.0-9-test";
  private static final String NEW = "6.1.0-10-test";

  @TempDir Path directory;
  private TreeBuilder image;

  @BeforeEach
  void installTwoKernels() throws IOException {
    image = TreeBuilder.in(Files.createDirectory(directory.resolve("image")));
    install(OLD, 5);
    install(NEW, 6);
  }

  private void install(String release, int crc) {
    image
        .module(release, "kernel/own.ko", built("own", release, 0))
        .symvers(
            SymversPlace.MODULES_XZ,
            release,
            new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, crc));
  }

  /** A module built for a kernel; it imports _printk if it wants a CRC of it. */
  private static ModuleBuilder built(String name, String release, int printk) {
    ModuleBuilder module =
        ModuleBuilder.typical(Machine.X86_64, name)
            .withoutModInfo("vermagic")
            .modInfo("vermagic=" + release + " SMP mod_unload modversions ");
    return printk == 0 ? module : module.importing("_printk", printk);
  }

  private WholeRun check(String... more) {
    List<String> words = new ArrayList<>(List.of("check", "--root", image.root().toString()));
    words.addAll(List.of(more));
    return WholeRun.of(words.toArray(new String[0]));
  }

  private void link(String place, String target) throws IOException {
    Path link = image.root().resolve(place);
    Files.createDirectories(link.getParent());
    Files.createSymbolicLink(link, Path.of(target));
  }

  @Test
  void theFirstLineSaysWhichBuildANameStandsFor() {
    image.module(OLD, "updates/dkms/a.ko", built("a", OLD, 5));
    WholeRun lacking = check("a", "--kernel", NEW);
    assertThat(lacking.out())
        .startsWith(
            "a: the build for 6.1.0-9-test, /lib/modules/6.1.0-9-test/updates/dkms/a.ko;"
                + " 6.1.0-10-test has none\n")
        .contains("_printk");
    assertThat(lacking.status()).isEqualTo(1);
    assertThat(check("updates/dkms", "--kernel", NEW).status()).isEqualTo(1);
    String path = image.modules(OLD).toString();
    assertThat(check("a", "--kernel", path).out())
        .startsWith("a: the build for 6.1.0-9-test, /lib/modules/6.1.0-9-test/updates/dkms/a.ko\n");
    WholeRun own = check("own", "--kernel", NEW);
    assertThat(own.out())
        .startsWith(
            "own: the in-tree module of 6.1.0-10-test itself,"
                + " /lib/modules/6.1.0-10-test/kernel/own.ko; no out-of-tree build of it is"
                + " installed\n");
    assertThat(own.status()).isZero();
  }

  @Test
  void theNewestKernelIsMeantByNumberNotByLetter() {
    image.module(NEW, "extra/a.ko", built("a", NEW, 6));
    WholeRun run = check();
    assertThat(run.out()).startsWith("yes      " + NEW + ": 1 module would load\n");
    assertThat(run.status()).isZero();
  }

  @Test
  void aBareNameIsTheModuleThatDepmodWouldChooseInTheRoot() {
    image
        .module(NEW, "kernel/a.ko", built("a", NEW, 5))
        .module(NEW, "updates/a.ko", built("a", NEW, 6));
    WholeRun run = check("a");
    assertThat(run.out()).contains("COMPATIBLE    a  /lib/modules/" + NEW + "/updates/a.ko");
    assertThat(run.status()).isZero();
  }

  @Test
  void aBareNameWithASymversFileIsStillLookedUpInTheRoot() throws IOException {
    image.module(NEW, "updates/a.ko", built("a", NEW, 6));
    Path symvers =
        Files.writeString(
            directory.resolve("Module.symvers"),
            "0x11223344\tmodule_layout\tvmlinux\tEXPORT_SYMBOL\t\n"
                + "0x00000006\t_printk\tvmlinux\tEXPORT_SYMBOL\t\n");
    WholeRun run = check("a", "--kernel", symvers.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains("COMPATIBLE    a  /lib/modules/" + NEW + "/updates/a.ko");
  }

  @Test
  void severalKernelsAreAnsweredOneByOne() throws IOException {
    Path module = Files.write(directory.resolve("a.ko"), built("a", OLD, 5).build());
    WholeRun run = check(module.toString(), "--kernel", OLD, "--kernel", NEW);
    assertThat(run.out())
        .contains(OLD + ": 1 compatible\n" + NEW + ": 1 incompatible\n")
        .contains("2 verdicts: 1 compatible, 1 incompatible");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void aModulesDirectoryIsTheKernelItBelongsTo() throws IOException {
    Path module = Files.write(directory.resolve("a.ko"), built("a", OLD, 5).build());
    WholeRun run =
        WholeRun.of("check", module.toString(), "--kernel", image.modules(OLD).toString());
    assertThat(run.out()).contains("COMPATIBLE    a").contains("/lib/modules/" + OLD + "/symvers");
    assertThat(run.status()).isZero();
  }

  @Test
  void mergedUsrIsOneTree() throws IOException {
    TreeBuilder merged =
        TreeBuilder.in(Files.createDirectory(directory.resolve("merged"))).mergedUsr();
    image = merged;
    install(NEW, 6);
    link("lib", "usr/lib");
    image.module(NEW, "extra/a.ko", built("a", NEW, 6));
    WholeRun run = check();
    assertThat(run.out()).contains("1 module would load");
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
  }

  @Test
  void aKernelDirectoryThatLinksToSlashStaysInTheImage() throws IOException {
    image.module(NEW, "extra/a.ko", built("a", NEW, 6));
    link("lib/modules/9.9-evil", "/");
    WholeRun run = check("-v");
    assertThat(run.out()).startsWith(NEW + " (installed kernel): ");
    assertThat(run.out()).contains("/lib/modules/" + NEW + "/extra/a.ko");
    assertThat(run.out() + run.err()).doesNotContain(directory.resolve("image").toString());
  }

  @Test
  void linksOutOfTheImageFindOnlyWhatTheImageHas() throws IOException {
    Path outside = Files.createDirectory(directory.resolve("outside"));
    Files.write(outside.resolve("secret.ko"), built("secret", NEW, 6).build());
    image.module(NEW, "extra/a.ko", built("a", NEW, 6));
    link("lib/modules/" + NEW + "/weak-updates", outside.toString());
    link("lib/modules/" + NEW + "/extra/climb", "../../../../../outside");
    link("lib/modules/" + NEW + "/extra/secret.ko", outside.resolve("secret.ko").toString());
    WholeRun run = check();
    assertThat(run.out()).doesNotContain("  secret").contains("1 module would load");
    assertThat(run.status()).isZero();
  }

  @Test
  void whatDepmodPassesOverDoesNotMakeANamedModuleUncertain() throws IOException {
    image.module(NEW, "extra/a.ko", built("a", NEW, 6));
    link("lib/modules/" + NEW + "/weak-updates/gone.ko", "../extra/gone.ko");
    image.depmodConfig("site.conf", "frobnicate all");
    WholeRun named = check("a");
    assertThat(named.status()).isZero();
    assertThat(named.err()).isEmpty();
    assertThat(named.out())
        .contains("  note: /etc/depmod.d/site.conf:1: line ignored: unknown command frobnicate\n")
        .contains("/weak-updates/gone.ko: dangling link to");
  }

  @Test
  void aDanglingLinkOfTheNamedModuleIsTold() throws IOException {
    image.module(NEW, "extra/a.ko", built("a", NEW, 6));
    link("lib/modules/" + NEW + "/weak-updates/gone-too.ko", "../extra/gone-too.ko");
    WholeRun run = check("gone_too", "a");
    assertThat(run.status()).isEqualTo(3);
    assertThat(run.err())
        .contains("gone-too.ko: dangling link to ../extra/gone-too.ko")
        .contains("gone_too: no such file, and no module of that name in " + NEW);
  }

  private void ofedSymvers() {
    image.file(
        "usr/src/ofa_kernel/x86_64/" + NEW + "/Module.symvers",
        new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
            .row(
                new SymversBuilder.Row(
                    7,
                    "mlx_fn",
                    "/build/compat/mlx_compat",
                    SymversBuilder.Kind.EXPORT_SYMBOL,
                    null))
            .bytes());
  }

  @Test
  void anInstalledModuleOfOfedSpeaksForItself() {
    ofedSymvers();
    image
        .module(
            NEW,
            "extra/mlx_compat.ko",
            built("mlx_compat", NEW, 0).exporting("mlx_fn", Export.Table.NORMAL, 8))
        .module(NEW, "extra/a.ko", built("a", NEW, 6).importing("mlx_fn", 7));
    WholeRun run = check("a");
    assertThat(run.out()).contains("mlx_compat offers 0x00000008");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void ofedsSymversNamesTheModuleThatIsNotInstalled() {
    ofedSymvers();
    image.module(NEW, "extra/a.ko", built("a", NEW, 6).importing("mlx_fn", 7));
    WholeRun run = check("a");
    assertThat(run.out())
        .contains(
            "note: exports of OFED's modules also from\n    /usr/src/ofa_kernel/x86_64/" + NEW)
        .contains("mlx_fn: its exporter mlx_compat is missing");
    assertThat(run.status()).isEqualTo(1);
  }

  @Test
  void ofedsSymversSpeaksForItsModulesWhereNoModulesAreAtHand() throws IOException {
    ofedSymvers();
    Files.delete(image.root().resolve("lib/modules/" + NEW + "/kernel/own.ko"));
    image.module(NEW, "extra/a.ko", built("a", NEW, 6).importing("mlx_fn", 7));
    WholeRun run = check("--kernel", NEW, "a", "-v");
    assertThat(run.out()).contains("COMPATIBLE    a").contains("mlx_compat");
  }
}
