package dev.weaklink.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.inventory.InventoryCollector;
import dev.weaklink.inventory.InventoryRequest;
import dev.weaklink.report.Schemas;
import dev.weaklink.rpmdb.InstalledRpm;
import dev.weaklink.sys.Root;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SigningKey;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program tells of a root what the script tells of it, byte for byte. */
class InventoryTwinTest {
  private static final String OLD = NodeTree.OLD;
  private static final String NEW = NodeTree.NEW;

  @TempDir Path directory;
  private Path root;
  private NodeTree node;
  private TreeBuilder tree;

  @BeforeEach
  void makeRoot() throws IOException {
    ExternalTool.orSkip("modinfo");
    ExternalTool.orSkip("modprobe");
    root = Files.createDirectories(directory.resolve("node"));
    node = new NodeTree(root);
    tree = TreeBuilder.in(root);
  }

  @Test
  void ofANodeWithEverything() throws Exception {
    node.fill();
    assertSame();
  }

  @Test
  void ofAnEmptyRoot() throws Exception {
    assertSame();
  }

  @Test
  void ofLinksOfEveryKind() throws Exception {
    node.fill();
    Path links = Files.createDirectories(tree.modules(NEW).resolve("weak-updates/b"));
    String alpha = "lib/modules/" + OLD + "/extra/a/alpha.ko";
    link(links, "up.ko", "../../../" + OLD + "/extra/a/alpha.ko");
    link(links, "far.ko", "../".repeat(20) + alpha);
    link(links, "slashes.ko", "//lib//modules/" + OLD + "/extra/./a/alpha.ko");
    link(links, "gone.ko", "/lib/modules/gone/extra/a.ko");
    link(links, "loop.ko", "loop.ko");
    link(links, "directory.ko", "/lib/modules");
    link(links, "directory", "/lib/modules");
    link(links, "file", "/" + alpha);
    link(links, "pipe.ko", "/pipe");
    link(links, "twice.ko", "up.ko");
    link(links, " -> x.ko", "/" + alpha);
    ExternalTool.orSkip("mkfifo").run(root.resolve("pipe").toString());
    ExternalTool.orSkip("mkfifo").run(links.resolve("own.ko").toString());
    assertSame();
  }

  @Test
  void ofAMergedUsrWithTwoDirectoriesOfOneKernel() throws Exception {
    tree.mergedUsr().module(OLD, "extra/alpha.ko", NodeTree.alpha());
    tree.module(OLD, "extra/beta.ko", NodeTree.alpha());
    node.text("usr/lib/modules/" + OLD + "/modules.order", "");
    node.text("usr/lib/modules/" + OLD + "/modules.dep", "extra/alpha.ko:\n/usr/lib/x.ko:\n");
    tree.module(NEW, "updates/dkms/gamma.ko", NodeTree.alpha());
    Files.createSymbolicLink(tree.modules(NEW).resolve("extra"), Path.of("updates"));
    Files.createDirectories(tree.modules("empty"));
    Files.createDirectories(tree.modules(".hidden").resolve("kernel"));
    assertSame();
  }

  @Test
  void ofNamesOfAllBytes() throws Exception {
    byte[] alpha = NodeTree.alpha().build();
    tree.module(OLD, "extra/a b'\"c\\d/-> ,{}.ko", alpha, Compression.NONE);
    tree.module(OLD, "extra/two.dots-and-hyphens.ko", alpha, Compression.NONE);
    tree.module(OLD, "extra/.hidden.ko", alpha, Compression.NONE);
    Path file = Files.write(directory.resolve("file.ko"), alpha);
    Path extra = tree.modules(OLD).resolve("extra");
    String bytes = "\\001\\002\\007\\010\\011\\013\\014\\015\\033\\037\\177";
    String text = "\\303\\244 \\342\\202\\254 \\360\\237\\220\\247";
    String broken = "\\377 \\300\\200 \\342\\202 \\355\\240\\200 \\364\\220\\200\\200 \\360\\237";
    for (String name : List.of(bytes, text, broken)) {
      shell("cp \"$1\" \"$2/$(printf '" + name + "').ko\"", file, extra);
      shell(
          "ln -s \"$(printf '" + name + "').ko\" \"$2/to$(printf '" + name + "').ko\"",
          file,
          extra);
      shell(
          "ln -s \"$(printf '" + name + "')\" \"$2/gone$(printf '" + name + "').ko\"", file, extra);
    }
    shell("mkdir \"$2/line\nbreak\"; cp \"$1\" \"$2/line\nbreak/x.ko\"", file, extra);
    assertThat(assertSame().get("modules")).hasSizeGreaterThan(8);
  }

  @Test
  void ofFilesThatAreNoModulesOrPacked() throws Exception {
    tree.module(OLD, "extra/junk.ko", "junk".getBytes(UTF_8), Compression.NONE);
    tree.module(OLD, "extra/none.ko", new byte[0], Compression.NONE);
    tree.module(OLD, "extra/xz.ko", NodeTree.alpha().build(), Compression.XZ_CRC32);
    tree.module(OLD, "extra/zst.ko", NodeTree.alpha().build(), Compression.ZSTD);
    tree.module(
        OLD, "extra/cut.ko.xz", new byte[] {(byte) 0xfd, '7', 'z', 'X', 'Z', 0}, Compression.NONE);
    assertSame();
  }

  @Test
  void ofFactsWithLineBreaksAndOddCommas() throws Exception {
    tree.module(
        OLD,
        "extra/a.ko",
        ModuleBuilder.minimal(Machine.X86_64, "a")
            .modInfo("version=one\ntwo\003")
            .modInfo("version=second")
            .modInfo("depends=")
            .modInfo("vermagic=\u00e4 x "));
    tree.module(
        OLD,
        "extra/b.ko",
        ModuleBuilder.minimal(Machine.X86_64, "b").modInfo("depends=a,,b,").modInfo("srcversion="));
    JsonNode modules = assertSame().get("modules");
    assertThat(modules.at("/0/version").asText()).isEqualTo("one\ntwo\003");
    assertThat(modules.at("/1/depends")).hasSize(4);
  }

  @Test
  void ofSignedModules() throws Exception {
    SigningKey key = SigningKey.rsa("a signer");
    byte[] plain = NodeTree.alpha().build();
    tree.module(OLD, "extra/a.ko", key.sign(plain), Compression.NONE);
    tree.module(OLD, "extra/b.ko", plain, Compression.NONE);
    tree.module(OLD, "extra/c.ko", key.signWithX509(plain, "RHEL: a key"), Compression.NONE);
    tree.module(OLD, "extra/d.ko", key.sign(plain), Compression.XZ_CRC32);
    JsonNode modules = assertSame().get("modules");
    assertThat(modules.at("/0/signature").asText()).isEqualTo("PKCS#7");
    assertThat(modules.at("/0/signer").asText()).isEqualTo("a signer");
    assertThat(modules.at("/0/signerKey").asText()).matches("([0-9A-F]{2}:)*[0-9A-F]{2}");
    assertThat(modules.at("/1/signature").asText()).isEqualTo("none");
    assertThat(modules.at("/2/signature").asText()).isEqualTo("X509");
    assertThat(modules.at("/2/signer").asText()).isEqualTo("RHEL: a key");
  }

  @Test
  void underAnotherNameAndWithout() throws Exception {
    node.fill();
    assertThat(told(new InventoryRequest(Root.of(root), "r\u00e4ck 1", false, false, 1)))
        .isEqualTo(script("--name=r\u00e4ck 1"));
    assertThat(told(new InventoryRequest(Root.of(root), null, true, false, 2)))
        .isEqualTo(script("--no-name"));
  }

  @Test
  void nothingIsLookedAtOutsideTheRoot() throws Exception {
    Path outside = Files.createDirectories(directory.resolve("outside"));
    new NodeTree(outside).fill();
    for (String name : List.of("lib", "proc", "sys", "var", "usr")) {
      Files.createSymbolicLink(root.resolve(name), outside.resolve(name));
    }
    assertThat(assertSame().get("kernels")).isEmpty();
  }

  /** The script would have to write to open the database of an image. */
  @Test
  void butThePackagesOfAnRpmImageAreToldHereOnly() throws Exception {
    String kmod = "/lib/modules/" + OLD + "/extra/a/alpha.ko";
    tree.module(OLD, "extra/a/alpha.ko", NodeTree.alpha());
    InstalledRpm.of("alpha-modules", "2:1.0", List.of(kmod), root, directory);
    InstalledRpm.of("kmod-other", "3", List.of("/usr/share/x"), root, directory);
    InstalledRpm.of("bash", "5", List.of("/usr/bin/bash"), root, directory);
    JsonNode here = json(told(new InventoryRequest(Root.of(root), null, false, false, 1)));
    assertThat(here.get("packages").toString())
        .isEqualTo(
            "[{\"name\":\"alpha-modules\",\"version\":\"2:1.0-1\",\"arch\":\"noarch\",\"kind\":\"rpm\"},"
                + "{\"name\":\"kmod-other\",\"version\":\"0:3-1\",\"arch\":\"noarch\",\"kind\":\"rpm\"}]");
    assertThat(here.get("problems")).isEmpty();
    JsonNode there = json(script());
    assertThat(there.get("packages")).isEmpty();
    assertThat(there.at("/problems/0/reason").asText()).contains("not read by this script");
    assertThat(here.get("modules")).isEqualTo(there.get("modules"));
  }

  /** Compares what both tell, with the tables, and gives it. */
  private JsonNode assertSame() throws Exception {
    String script = script("--full");
    String here = told(new InventoryRequest(Root.of(root), null, false, true, 2));
    int at = Arrays.mismatch(bytes(here), bytes(script));
    // A line has thousands of characters; what is round the first difference is enough.
    assertThat(at < 0 ? "" : near(here, at)).isEqualTo(at < 0 ? "" : near(script, at));
    assertThat(Schemas.problems(new String(bytes(script), UTF_8))).isEmpty();
    return json(script);
  }

  private static String near(String line, int at) {
    return line.substring(Math.max(0, at - 80), Math.min(line.length(), at + 80));
  }

  private String script(String... arguments) throws Exception {
    String[] words = List.of(arguments).toArray(new String[arguments.length + 1]);
    words[arguments.length] = "--root=" + root;
    return new String(
        CollectorRun.in(directory).run("dash", "", words).out(), StandardCharsets.ISO_8859_1);
  }

  /** One byte a character, so that a difference in bytes that are no text is seen. */
  private static String told(InventoryRequest request) {
    return new String(InventoryCollector.collect(request), StandardCharsets.ISO_8859_1);
  }

  private static JsonNode json(String line) throws IOException {
    return new ObjectMapper().readTree(bytes(line));
  }

  private static byte[] bytes(String line) {
    return line.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** By a program: Java would tidy the target. */
  private static void link(Path directory, String name, String target) throws IOException {
    ExternalTool.orSkip("ln").run("-s", target, directory.resolve(name).toString());
  }

  private static void shell(String command, Path file, Path directory) throws IOException {
    ExternalTool.orSkip("dash").run("-c", command, "x", file.toString(), directory.toString());
  }
}
