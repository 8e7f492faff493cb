package dev.weaklink.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weaklink.format.archive.Apk3Writer;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.SymversBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs of the whole program on packages of apk's third format. */
class Apk3CheckTest {
    private static final String RELEASE = "6.6.73";
    private static final String DIRECTORY = "lib/modules/" + RELEASE;

    @TempDir
    Path directory;

    private String root = "";

    @BeforeEach
    void makeAnEmptyImage() throws IOException {
        root = Files.createDirectory(directory.resolve("root")).toString();
    }

    private static byte[] module(String name, int printk) {
        return ModuleBuilder.typical(Machine.X86_64, name)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=" + RELEASE + " SMP mod_unload modversions ")
                .importing("_printk", printk)
                .build();
    }

    private static Apk3Writer kmod(String name, int printk) {
        return Apk3Writer.named("kmod-" + name, RELEASE + "-r1")
                .origin("package/kernel/linux")
                .directory(DIRECTORY)
                .file(name + ".ko", module(name, printk));
    }

    private String file(String name, byte[] bytes) throws IOException {
        return Files.write(directory.resolve(name), bytes).toString();
    }

    /** Returns the arguments for a kernel that consists of two packages. */
    private List<String> kernel() throws IOException {
        byte[] symvers = new SymversBuilder(SymversBuilder.Layout.NAMESPACE_LAST)
                .kernel("module_layout", SymversBuilder.Kind.EXPORT_SYMBOL, 0x11223344)
                .kernel("_printk", SymversBuilder.Kind.EXPORT_SYMBOL, 5)
                .bytes();
        Apk3Writer modules = Apk3Writer.named("linux", RELEASE)
                .directory(DIRECTORY + "/kernel")
                .file("own.ko", module("own", 5));
        Apk3Writer headers = Apk3Writer.named("linux-dev", RELEASE)
                .directory("usr/src/linux-headers-" + RELEASE)
                .file("Module.symvers", symvers);
        return List.of(
                "--kernel", file("linux.apk", modules.deflated()), "--kernel", file("linux-dev.apk", headers.bytes()));
    }

    private WholeRun run(String command, String subject, String... more) throws IOException {
        List<String> words = new ArrayList<>(List.of(command, "--root", root, subject));
        words.addAll(kernel());
        words.addAll(List.of(more));
        return WholeRun.of(words.toArray(new String[0]));
    }

    @Test
    void judgesAPackageOnAKernelOfPackages() throws IOException {
        String good = file("kmod-good.apk", kmod("good", 5).deflated());
        String bad = file("kmod-bad.apk", kmod("bad", 6).bytes());
        WholeRun run = run("check", good, bad, "--format", "ndjson");
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isEqualTo(1);
        List<JsonNode> verdicts = new ArrayList<>();
        for (String line : run.out().split("\n")) {
            JsonNode node = new ObjectMapper().readTree(line);
            if (node.has("verdict")) {
                verdicts.add(node);
            }
        }
        assertThat(verdicts)
                .extracting(node ->
                        node.get("module").asText() + " " + node.get("verdict").asText())
                .containsExactlyInAnyOrder("good COMPATIBLE", "bad INCOMPATIBLE");
        for (JsonNode verdict : verdicts) {
            String name = verdict.get("module").asText();
            assertThat(verdict.get("member").asText()).isEqualTo("/" + DIRECTORY + "/" + name + ".ko");
            assertThat(verdict.get("package").toString())
                    .isEqualTo("{\"kind\":\"apk\",\"name\":\"kmod-"
                            + name
                            + "\",\"version\":\"6.6.73-r1\",\"product\":\"package/kernel/linux\"}");
        }
    }

    @Test
    void reportsAModuleThatDiffersFromThePackagesDigest() throws IOException {
        byte[] other = Apk3Writer.digest("SHA-256", module("changed", 6));
        byte[] apk = Apk3Writer.named("kmod-m", "1")
                .directory(DIRECTORY)
                .file("changed.ko", module("changed", 5), other)
                .file("good.ko", module("good", 5))
                .deflated();
        String file = file("kmod-m.apk", apk);
        WholeRun run = run("check", file);
        assertThat(run.messages())
                .containsExactly(
                        file + "!/" + DIRECTORY + "/changed.ko: contents do not match their SHA-256 digest; not used");
        assertThat(run.out()).contains("1 verdict: 1 compatible");
        assertThat(run.status()).isEqualTo(3);
    }

    /** The repository also contains a list of packages, like OpenWrt's repositories. */
    @Test
    void findsTheBuildThatFitsInARepository() throws IOException {
        Path repository = Files.createDirectory(directory.resolve("repository"));
        Files.write(repository.resolve("kmod-a.apk"), kmod("m", 6).deflated());
        Files.write(repository.resolve("kmod-b.apk"), kmod("m", 5).deflated());
        Files.writeString(repository.resolve("packages.adb"), "ADB.indx and so on");
        WholeRun run = run("matrix", "--best", repository.toString());
        assertThat(run.err()).isEmpty();
        assertThat(run.status()).isZero();
        assertThat(run.out().indexOf("kmod-b.apk")).isBetween(0, run.out().indexOf("kmod-a.apk"));
    }
}
