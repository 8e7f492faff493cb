package dev.weaklink.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.weaklink.dist.CollectorRun.Ran;
import dev.weaklink.report.Schemas;
import dev.weaklink.testing.Compression;
import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Shells;
import dev.weaklink.testing.SigningKey;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the script weaklink-collect on trees that look like nodes. */
@Tag("slow")
class CollectorTest {
    private static final String OLD = NodeTree.OLD;
    private static final String NEW = NodeTree.NEW;
    private static final String ODD = "a b'\"c\\d";

    @TempDir
    Path directory;

    private Path root;
    private TreeBuilder tree;
    private NodeTree node;

    @BeforeEach
    void makeRoot() throws IOException {
        ExternalTool.orSkip("modinfo");
        ExternalTool.orSkip("modprobe");
        root = Files.createDirectories(directory.resolve("node"));
        tree = TreeBuilder.in(root);
        node = new NodeTree(root);
    }

    @Test
    void printsTheSameBytesInEveryShell() throws Exception {
        node.fill();
        Ran first = collect("dash", "--full");
        for (String shell : Shells.installed()) {
            assertThat(collect(shell, "--full").out()).as(shell).isEqualTo(first.out());
        }
        assertThat(first.text().lines()).hasSize(1);
        assertThat(Schemas.problems(first.text())).isEmpty();
    }

    @Test
    void worksWithBusyboxsToolsOnly() throws Exception {
        node.fill();
        CollectorRun busybox = CollectorRun.in(directory).withBusyboxTools();
        assertThat(busybox.run("busybox", "", "--full", root()).text())
                .isEqualTo(collect("dash", "--full").text());
    }

    @Test
    void printsAModuleWithItsFacts() throws Exception {
        byte[] file = NodeTree.alpha().build();
        tree.module(OLD, "extra/a/alpha.ko", file, Compression.NONE);
        JsonNode module = collect("dash").json().at("/modules/0");
        assertThat(module.get("name").asText()).isEqualTo("alpha");
        assertThat(module.get("kernel").asText()).isEqualTo(OLD);
        assertThat(module.get("path").asText()).isEqualTo("/lib/modules/" + OLD + "/extra/a/alpha.ko");
        assertThat(module.get("digest").asText()).isEqualTo(digest(file));
        assertThat(module.get("srcversion").asText()).isEqualTo("ABCDEF");
        assertThat(module.get("version").asText()).isEqualTo("1 \"beta\"");
        assertThat(module.get("vermagic").asText()).endsWith(" modversions ");
        assertThat(module.get("depends")).hasSize(2);
        assertThat(module.get("crcs").asText())
                .isEqualTo(digest("0x11223344\tmodule_layout\n0x0000beef\tkfree\n".getBytes(UTF_8)));
        assertThat(module.has("used")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"dash", "bash", "mksh", "busybox"})
    void reportsModulesOutsideExtraThatAreNotPartOfTheKernel(String shell) throws Exception {
        byte[] alpha = NodeTree.alpha().build();
        byte[] inTree = ModuleBuilder.minimal(Machine.X86_64, "self")
                .modInfo("intree=Y")
                .modInfo("vermagic=" + OLD + " SMP mod_unload modversions ")
                .build();
        tree.module(OLD, "misc/vmmon.ko", alpha, Compression.XZ_CRC32)
                .module(OLD, "kernel/net/vendor.ko", alpha, Compression.NONE)
                .module(OLD, "kernel/net/twice.ko", alpha, Compression.NONE)
                .module(OLD, "kernel/net/twice.ko", inTree, Compression.XZ_CRC32)
                .module(OLD, "kernel/net/own.ko", alpha, Compression.ZSTD)
                .module(OLD, "kernel/zfs/packaged.ko", alpha, Compression.NONE)
                .module(OLD, "internal/self.ko", inTree, Compression.NONE)
                .module(NEW, "internal/self.ko", inTree, Compression.NONE)
                .modulesOrder(OLD, List.of("kernel/net/own.ko", "kernel/net/twice.ko"))
                .modulesOrder(NEW, List.of())
                .modulesDep(OLD, "kernel/net/vendor.ko", "kernel/net/own.ko.zst", "misc/vmmon.ko.xz")
                .file(
                        "var/lib/dpkg/info/linux-modules-" + OLD + ".list",
                        ("/usr/lib/modules/" + OLD + "/modules.order\n/usr/lib/modules/" + OLD
                                        + "/kernel/zfs/packaged.ko\n")
                                .getBytes(UTF_8));
        JsonNode told = collect(shell).json();
        List<String> paths = new ArrayList<>();
        told.get("modules").forEach(module -> paths.add(module.get("path").asText() + " " + module.get("used")));
        assertThat(paths)
                .containsExactly(
                        "/lib/modules/" + OLD + "/kernel/net/twice.ko false",
                        "/lib/modules/" + OLD + "/kernel/net/vendor.ko true",
                        "/lib/modules/" + OLD + "/misc/vmmon.ko.xz true",
                        "/lib/modules/" + NEW + "/internal/self.ko null");
    }

    @Test
    void followsLinksOnlyInsideTheRoot() throws Exception {
        tree.mergedUsr().module(OLD, "extra/alpha.ko", NodeTree.alpha());
        Files.createSymbolicLink(root.resolve("lib"), Path.of("/usr/lib"));
        Path outside =
                Files.write(directory.resolve("outside.ko"), NodeTree.alpha().build());
        tree.mergedUsr().weakLink(NEW, "weak-updates/alpha.ko", OLD, "extra/alpha.ko");
        Path links = root.resolve("usr/lib/modules/" + NEW + "/weak-updates");
        Files.createSymbolicLink(links.resolve("beyond.ko"), outside);
        Files.createSymbolicLink(links.resolve("climbing.ko"), Path.of("../".repeat(9) + outside));
        Files.createSymbolicLink(links.resolve("loop.ko"), Path.of("loop.ko"));

        JsonNode modules = collect("dash").json().get("modules");
        assertThat(names(modules)).containsExactly("alpha", "alpha", "beyond", "climbing", "loop");
        assertThat(modules.at("/1/file").asText()).isEqualTo("/usr/lib/modules/" + OLD + "/extra/alpha.ko");
        assertThat(modules.at("/1/digest")).isEqualTo(modules.at("/0/digest"));
        for (int i = 2; i < 5; i++) {
            assertThat(modules.get(i).has("link")).isTrue();
            assertThat(modules.get(i).has("file")).isFalse();
            assertThat(modules.get(i).has("digest")).isFalse();
        }
    }

    /** Creates a link with ln(1), because Java would normalize the target. */
    private static void link(Path directory, String name, String target) throws IOException {
        ExternalTool.orSkip("ln").run("-s", target, directory.resolve(name).toString());
    }

    @Test
    void resolvesLinksAsTheNodeWould() throws Exception {
        String alpha = "/lib/modules/" + OLD + "/extra/a/alpha.ko";
        tree.module(OLD, "extra/a/alpha.ko", NodeTree.alpha());
        Path links = Files.createDirectories(tree.modules(NEW).resolve("weak-updates/b"));
        link(links, "1up.ko", "../../../" + OLD + "/extra/a/alpha.ko");
        link(links, "2far.ko", "../".repeat(20) + alpha.substring(1));
        link(links, "3slashes.ko", "//lib//modules/" + OLD + "/extra/./a/alpha.ko");
        link(links, "4twice.ko", "1up.ko");
        link(links, "5 -> x.ko", alpha);
        link(links, "6gone.ko", "/lib/modules/gone/extra/a.ko");
        link(links, "7pipe.ko", "/pipe");
        link(links, "8directory.ko", "/lib/modules");
        link(links, "directory", "/lib/modules");
        link(links, "file", alpha);
        ExternalTool.orSkip("mkfifo").run(root.resolve("pipe").toString());
        ExternalTool.orSkip("mkfifo").run(links.resolve("own.ko").toString());

        for (String shell : Shells.installed()) {
            JsonNode told = collect(shell).json();
            List<String> ends = new ArrayList<>();
            for (JsonNode module : told.get("modules")) {
                if (module.has("link")) {
                    ends.add(module.get("path").asText().replaceAll(".*/", "") + "|" + module.path("file"));
                }
            }
            String file = "|\"" + alpha + "\"";
            assertThat(ends)
                    .containsExactly(
                            "1up.ko" + file,
                            "2far.ko" + file,
                            "3slashes.ko" + file,
                            "4twice.ko" + file,
                            "5 -> x.ko" + file,
                            "6gone.ko|",
                            "7pipe.ko|");
            assertThat(told.get("problems").findValuesAsText("reason"))
                    .containsExactly(
                            "link to something other than a regular file",
                            "link to a directory; not followed",
                            "link to a directory; not followed",
                            "not a regular file");
        }
    }

    @Test
    void reportsFactsWithLineBreaksAndOddCommas() throws Exception {
        tree.module(
                OLD,
                "extra/a.ko",
                ModuleBuilder.minimal(Machine.X86_64, "a")
                        .modInfo("version=one\ntwo\003")
                        .modInfo("version=second")
                        .modInfo("depends=")
                        .modInfo("vermagic=x  y "));
        tree.module(
                OLD,
                "extra/b.ko",
                ModuleBuilder.minimal(Machine.X86_64, "b")
                        .modInfo("depends=a,,b,")
                        .modInfo("srcversion="));
        JsonNode modules = collect("dash").json().get("modules");
        assertThat(modules.at("/0/version").asText()).isEqualTo("one\ntwo\003");
        assertThat(modules.at("/0/vermagic").asText()).isEqualTo("x  y ");
        assertThat(modules.at("/0/depends")).isEmpty();
        assertThat(modules.at("/1/depends").toString()).isEqualTo("[\"a\",\"\",\"b\",\"\"]");
        assertThat(modules.at("/1/srcversion").asText("?")).isEmpty();
    }

    @Test
    void reportsTheSignerOfAModule() throws Exception {
        SigningKey key = SigningKey.rsa("a signer");
        byte[] plain = NodeTree.alpha().build();
        tree.module(OLD, "extra/a.ko", key.sign(plain), Compression.NONE);
        tree.module(OLD, "extra/b.ko", plain, Compression.NONE);
        tree.module(OLD, "extra/c.ko", key.signWithX509(plain, "RHEL: a key"), Compression.NONE);
        tree.module(OLD, "extra/d.ko", key.sign(plain), Compression.XZ_CRC32);
        JsonNode modules = collect("dash").json().get("modules");
        assertThat(modules.findValuesAsText("signature")).containsExactly("PKCS#7", "none", "X509", "PKCS#7");
        assertThat(modules.findValuesAsText("signer")).containsExactly("a signer", "RHEL: a key", "a signer");
        assertThat(modules.at("/0/signerKey").asText()).matches("([0-9A-F]{2}:)*[0-9A-F]{2}");
    }

    @Test
    void reportsNamesWithSpacesQuotesAndInvalidBytes() throws Exception {
        tree.module(OLD, "extra/" + ODD + "/" + ODD + ".ko", NodeTree.alpha());
        tree.weakLink(NEW, "weak-updates/ -> /x -> .ko", OLD, "extra/" + ODD + "/" + ODD + ".ko");
        Path places = tree.modules(OLD).resolve("extra");
        ExternalTool.orSkip("dash")
                .run(
                        "-c",
                        "cp \"$1\" \"$2/$(printf 'z\\377\\t\\303\\244').ko\"; cp \"$1\" \"$2/x\ny.ko\"",
                        "x",
                        places.resolve(ODD + "/" + ODD + ".ko").toString(),
                        places.toString());

        for (String shell : Shells.installed()) {
            Ran ran = collect(shell);
            assertThat(Schemas.problems(ran.text())).isEmpty();
            JsonNode modules = ran.json().get("modules");
            assertThat(names(modules)).containsExactly(ODD, "z\uFFFD\t\u00e4", "x _> ");
            for (JsonNode module : modules) {
                assertThat(module.get("digest").asText())
                        .isEqualTo(digest(NodeTree.alpha().build()));
            }
            assertThat(ran.json().at("/problems/0/reason").asText()).contains("line break");
            assertThat(ran.json().get("problems")).hasSize(1);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void reportsOmittedFilesInAPackagesDirectory(String shell) throws Exception {
        tree.module(OLD, "kernel/own.ko", NodeTree.alpha())
                .module(OLD, "misc/x\ny.ko", NodeTree.alpha())
                .file(
                        "var/lib/dpkg/info/linux-modules-" + OLD + ".list",
                        ("/lib/modules/" + OLD + "\n/lib/modules/" + OLD + "/modules.order\n").getBytes(UTF_8));
        JsonNode told = collect(shell).json();
        assertThat(told.at("/problems/0/path").asText()).isEqualTo("/lib/modules/" + OLD);
        assertThat(told.at("/problems/0/reason").asText()).contains("line break");
        assertThat(told.get("problems")).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void printsANodeWithoutModules(String shell) throws Exception {
        Ran ran = collect(shell);
        assertThat(ran.err()).isEmpty();
        assertThat(ran.text())
                .isEqualTo("{\"schema\":\"weaklink.node/1\",\"security\":{},\"kernels\":[],\"modules\":[],"
                        + "\"loaded\":[],\"dkms\":[],\"packages\":[],\"missing\":[],\"problems\":[]}\n");
        assertThat(Schemas.problems(ran.text())).isEmpty();
    }

    @Test
    void reportsEverythingElseWithoutDigestsOfTables() throws Exception {
        node.fill();
        String all = collect("dash").text();
        assertThat(all).contains(",\"crcs\":\"").doesNotContain("leftOut");
        Ran without = collect("dash", "--no-crcs");
        assertThat(without.text())
                .isEqualTo(all.replaceAll(",\"crcs\":\"[^\"]*\"", "")
                        .replace("\"missing\"", "\"leftOut\":[\"crcs\"],\"missing\""));
        assertThat(Schemas.problems(without.text())).isEmpty();
    }

    @Test
    void printsASingleFileOnce() throws Exception {
        tree.module(OLD, "extra/alpha.ko", NodeTree.alpha());
        for (String shell : Shells.installed()) {
            JsonNode told = collect(shell, "--full").json();
            assertThat(told.get("modules")).hasSize(1);
            assertThat(told.get("tables")).hasSize(1);
            assertThat(told.at("/tables/0/file")).isEqualTo(told.at("/modules/0/digest"));
        }
    }

    @Test
    void readsNothingOutsideTheRoot() throws Exception {
        Path outside = Files.createDirectories(directory.resolve("outside"));
        new NodeTree(outside).fill();
        for (String name : List.of("lib", "proc", "sys", "var", "usr")) {
            Files.createSymbolicLink(root.resolve(name), outside.resolve(name));
        }
        assertThat(collect("dash").text()).contains("\"security\":{},\"kernels\":[],\"modules\":[]");
    }

    @ParameterizedTest
    @MethodSource("dev.weaklink.testing.Shells#all")
    void reportsTheRestWithoutKmod(String shell) throws Exception {
        node.fill();
        Ran ran = CollectorRun.in(directory).with(CollectorRun.TOOLS).run(shell, "", root());
        assertThat(ran.status()).isZero();
        assertThat(ran.err()).isEmpty();
        assertThat(Schemas.problems(ran.text())).isEmpty();
        assertThat(ran.json().get("missing").toString()).isEqualTo("[\"modinfo\",\"modprobe\"]");
        JsonNode module = ran.json().at("/modules/0");
        assertThat(module.get("digest").asText())
                .isEqualTo(digest(NodeTree.alpha().build()));
        assertThat(module.has("vermagic") || module.has("crcs")).isFalse();
    }

    @Test
    void failsWithoutThePosixTools() throws Exception {
        Ran ran = CollectorRun.in(directory).with("find", "sed").run("dash", "", root());
        assertThat(ran.status()).isEqualTo(2);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err()).isEqualTo("weaklink-collect: needs awk, which is not installed\n");
    }

    @Test
    void printsTheStateOfTheNode() throws Exception {
        node.fill();
        JsonNode told = collect("dash").json();
        assertThat(told.get("node").asText()).isEqualTo("cn001");
        assertThat(told.get("running").asText()).isEqualTo(NEW);
        assertThat(told.get("security").toString())
                .isEqualTo("{\"secureBoot\":\"enabled\",\"lockdown\":\"integrity\",\"enforced\":true}");
        assertThat(told.get("kernels").toString())
                .isEqualTo("[{\"release\":\"%s\",\"installed\":false},{\"release\":\"%s\",\"installed\":true}]"
                        .formatted(OLD, NEW));
        assertThat(told.get("loaded").toString())
                .isEqualTo("[{\"name\":\"alpha\",\"srcversion\":\"INBOX\"},"
                        + "{\"name\":\"zfs\",\"srcversion\":\"ELSE\",\"taint\":\"POE\"}]");
        assertThat(told.get("dkms").toString())
                .isEqualTo("[{\"module\":\"knem\",\"version\":\"1.1\",\"state\":\"added\"},"
                        + "{\"module\":\"zfs\",\"version\":\"2.1\",\"state\":\"installed\",\"kernel\":\""
                        + NEW
                        + "\",\"arch\":\"x86_64\",\"builds\":\"zfs\"}]");
        assertThat(told.get("ofed").asText()).isEqualTo("MLNX_OFED_LINUX-5.8-1.1.2.1");
        assertThat(told.get("packages").toString())
                .isEqualTo("[{\"name\":\"alpha-kernel\",\"version\":\"2:1.0\",\"arch\":\"amd64\",\"kind\":\"deb\"},"
                        + "{\"name\":\"zfs-dkms\",\"version\":\"2.1\",\"arch\":\"all\",\"kind\":\"deb\"}]");
    }

    @Test
    void reportsModulesAsUsedThatDepmodListed() throws Exception {
        node.fill();
        JsonNode modules = collect("dash").json().get("modules");
        assertThat(names(modules)).containsExactly("alpha", "beta", "gamma", "alpha");
        assertThat(modules.at("/1/used").asBoolean()).isTrue();
        assertThat(modules.at("/2/used").asBoolean()).isFalse();
        assertThat(modules.at("/2").has("used")).isTrue();
        assertThat(modules.at("/3/used").asBoolean()).isTrue();
        assertThat(modules.at("/0").has("used")).isFalse();
    }

    @Test
    void omitsTheNodesNameOnRequest() throws Exception {
        node.fill();
        Ran first = collect("dash", "--no-name");
        node.text("proc/sys/kernel/hostname", "cn002\n");
        assertThat(collect("dash", "--no-name").out()).isEqualTo(first.out());
        assertThat(first.json().has("node")).isFalse();
        assertThat(collect("dash").json().get("node").asText()).isEqualTo("cn002");
        assertThat(collect("dash", "--name=rack 1").json().get("node").asText()).isEqualTo("rack 1");
    }

    @Test
    void printsTheTablesOfTheListedDigests() throws Exception {
        node.fill();
        String wanted = digest(NodeTree.alpha().build());
        Ran ran = CollectorRun.in(directory)
                .run("dash", "sha256:" + "0".repeat(64) + "\n" + wanted + "\n", "--tables", root());
        JsonNode tables = ran.json().get("tables");
        assertThat(tables).hasSize(1);
        assertThat(tables.at("/0/file").asText()).isEqualTo(wanted);
        assertThat(tables.at("/0/versions").toString())
                .isEqualTo("[\"0x11223344 module_layout\",\"0x0000beef kfree\"]");
        assertThat(collect("dash").json().has("tables")).isFalse();
        assertThat(collect("dash", "--full").json().get("tables")).hasSize(3);
    }

    @Test
    void reportsAFileThatIsNotAModuleAndContinues() throws Exception {
        tree.module(OLD, "extra/junk.ko", "junk".getBytes(UTF_8), Compression.NONE);
        ExternalTool.orSkip("mkfifo")
                .run(tree.modules(OLD).resolve("extra/pipe.ko").toString());
        Files.createSymbolicLink(tree.modules(OLD).resolve("extra/up"), Path.of("/"));
        Ran ran = collect("dash");
        assertThat(ran.status()).isZero();
        assertThat(names(ran.json().get("modules"))).containsExactly("junk");
        List<String> reasons = new ArrayList<>();
        ran.json()
                .get("problems")
                .forEach(problem -> reasons.add(problem.get("reason").asText()));
        assertThat(reasons)
                .containsExactly(
                        "modinfo finds no vermagic in it", "not a regular file", "link to a directory; not followed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--what", "x", "--root=", "--root=/nowhere/at/all"})
    void wrongUsageIsStatusTwo(String argument) throws Exception {
        Ran ran = CollectorRun.in(directory).run("dash", "", argument);
        assertThat(ran.status()).isEqualTo(2);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err()).isNotEmpty();
    }

    @Test
    void passesShellcheck() throws Exception {
        assertThat(ExternalTool.orSkip("shellcheck").run(CollectorRun.SCRIPT.toString()))
                .isEmpty();
    }

    private String root() {
        return "--root=" + root;
    }

    private Ran collect(String shell, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(arguments));
        words.add(root());
        return CollectorRun.in(directory).run(shell, "", words.toArray(new String[0]));
    }

    private static List<String> names(JsonNode modules) {
        List<String> names = new ArrayList<>();
        modules.forEach(module -> names.add(module.get("name").asText()));
        return names;
    }

    static String digest(byte[] bytes) throws Exception {
        return "sha256:"
                + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
