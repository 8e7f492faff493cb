package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.ModuleArguments.PathBytes;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModuleArgumentsTest {
    private static final String NO_SUCH_FILE =
            "no such file; give the path of a module file, or the name of an installed module";

    private static final String K1 = "/lib/modules/6.1/";
    private static final String K2 = "/lib/modules/6.2/";

    @TempDir
    Path temp;

    private FakeSystem system;

    @BeforeEach
    void makeSystem() throws IOException {
        system = new FakeSystem(temp.resolve("image"));
        system.files(K1 + "kernel/a.ko", K1 + "kernel/net/snd-b.ko.xz", K1 + "extra/x.ko");
        system.file(K1 + "modules.order", "kernel/a.ko\nkernel/net/snd-b.ko\n");
        system.files(K2 + "kernel/a.ko", K2 + "updates/a.ko");
        system.file(K2 + "modules.order", "kernel/a.ko\n");
        system.link(K2 + "weak-updates/x.ko", K1 + "extra/x.ko");
    }

    private ModuleArguments expand(String... arguments) throws IOException {
        return expand(new byte[0], arguments);
    }

    private ModuleArguments expand(byte[] stdin, String... arguments) throws IOException {
        InputStream in = new ByteArrayInputStream(stdin);
        return ModuleArguments.expand(List.of(arguments), in, system.root(), List.of("6.1", "6.2"));
    }

    private String host(String inside) {
        return system.at(inside).toString();
    }

    @Test
    void acceptsAFileOfAnyName() throws IOException {
        system.files("/tmp/module.bin");
        assertThat(expand(host("/tmp/module.bin")).modules())
                .containsExactly(new ModuleSource(system.at("/tmp/module.bin"), host("/tmp/module.bin")));
    }

    @Test
    void expandsADirectoryToSortedModules() throws IOException {
        system.files("/src/b/build/z.ko", "/src/b/a.ko.zst", "/src/a.ko", "/src/README");
        assertThat(expand(host("/src") + "//").modules())
                .extracting(ModuleSource::display)
                .containsExactly(host("/src/a.ko"), host("/src/b/a.ko.zst"), host("/src/b/build/z.ko"));
    }

    @Test
    void ignoresLinksToTheSourcesOfAKernel() throws IOException {
        system.files("/usr/src/linux/drivers/a.ko", "/elsewhere/b.ko");
        system.link(K1 + "build", system.at("/usr/src/linux").toString());
        system.link(K1 + "source", system.at("/usr/src/linux").toString());
        system.link(K1 + "more", system.at("/elsewhere").toString());
        assertThat(expand(host(K1.substring(0, K1.length() - 1))).modules())
                .extracting(ModuleSource::display)
                .containsExactly(
                        host(K1 + "extra/x.ko"),
                        host(K1 + "kernel/a.ko"),
                        host(K1 + "kernel/net/snd-b.ko.xz"),
                        host(K1 + "more/b.ko"));
    }

    @Test
    void reportsADirectoryLoop() throws IOException {
        system.files("/src/a.ko").link("/src/loop", ".");
        ModuleArguments found = expand(host("/src"));
        assertThat(found.modules()).hasSize(1);
        assertThat(found.problems())
                .containsExactly(new InputProblem(host("/src/loop"), "skipped: link to a directory above the link"));
    }

    @Test
    void reportsADirectoryWithoutModules() throws IOException {
        system.files("/src/README");
        assertThat(expand(host("/src")).problems())
                .containsExactly(
                        new InputProblem(host("/src"), "no files named .ko, .ko.gz, .ko.xz or .ko.zst below it"));
    }

    private ModuleArguments on(String kernel, String... arguments) throws IOException {
        InputStream in = InputStream.nullInputStream();
        return ModuleArguments.expand(List.of(arguments), in, system.root(), List.of(kernel));
    }

    @Test
    void resolvesABareNameToTheKernelsBuild() throws IOException {
        ModuleArguments own = on("6.2", "x");
        assertThat(own.modules()).extracting(ModuleSource::display).containsExactly(K2 + "weak-updates/x.ko");
        assertThat(own.judged()).containsExactly("x: the build for 6.2, " + K2 + "weak-updates/x.ko");
        assertThat(expand("a", "x").modules())
                .extracting(ModuleSource::display)
                .containsExactly(K2 + "updates/a.ko", K1 + "extra/x.ko");
    }

    @Test
    void searchesAllKernelsForAModuleThatTheKernelLacks() throws IOException {
        system.files(K1 + "updates/dkms/nvidia.ko", "/lib/modules/6.0/updates/dkms/nvidia.ko");
        ModuleArguments found = on("6.2", "nvidia");
        assertThat(found.modules()).extracting(ModuleSource::display).containsExactly(K1 + "updates/dkms/nvidia.ko");
        assertThat(found.judged())
                .containsExactly("nvidia: the build for 6.1, " + K1 + "updates/dkms/nvidia.ko; 6.2 has none");
        assertThat(found.problems()).isEmpty();
    }

    @Test
    void reportsAnInTreeModuleAsSuch() throws IOException {
        ModuleArguments found = on("6.1", "snd_b");
        assertThat(found.modules())
                .containsExactly(
                        new ModuleSource(system.at(K1 + "kernel/net/snd-b.ko.xz"), K1 + "kernel/net/snd-b.ko.xz"));
        assertThat(found.judged())
                .containsExactly("snd_b: the in-tree module of 6.1 itself, "
                        + K1
                        + "kernel/net/snd-b.ko.xz; no out-of-tree build of it is installed");
    }

    @Test
    void findsADirectoryOfModulesInAnyKernel() throws IOException {
        system.files(K1 + "extra/ofed/core.ko", K1 + "extra/ofed/net/en.ko", K1 + "extra/ofed2/z.ko");
        ModuleArguments found = on("6.2", "extra/ofed/");
        assertThat(found.modules())
                .extracting(ModuleSource::display)
                .containsExactly(K1 + "extra/ofed/core.ko", K1 + "extra/ofed/net/en.ko");
        assertThat(found.judged())
                .containsExactly("extra/ofed: 2 modules of the build for 6.1, " + K1 + "extra/ofed; 6.2 has none");
        assertThat(on("6.1", "ofed", "extra/x.ko").judged())
                .containsExactly(
                        "ofed: 2 modules of the build for 6.1, " + K1 + "extra/ofed",
                        "extra/x.ko: 1 module of the build for 6.1, " + K1 + "extra/x.ko");
        system.files(K2 + "extra/ofed/core.ko");
        assertThat(on("6.2", "extra/ofed").modules())
                .extracting(ModuleSource::display)
                .containsExactly(K2 + "extra/ofed/core.ko");
        assertThat(on("6.2", "extra/none").problems())
                .containsExactly(new InputProblem(
                        "extra/none", "no such file or directory, also not below /lib/modules of 6.1, 6.2"));
    }

    @Test
    void listsTheSearchedDirectoriesForAnUnknownName() throws IOException {
        assertThat(on("6.2", "nosuch").problems())
                .containsExactly(new InputProblem(
                        "nosuch", "no such file, and no module of that name in 6.2 or out of tree in 6.1"));
    }

    @Test
    void suggestsASimilarName() throws IOException {
        system.files(K1 + "extra/mlx5_core.ko", K2 + "kernel/mlxsw_core.ko");
        assertThat(on("6.2", "mlx5-croe").problems())
                .containsExactly(new InputProblem(
                        "mlx5-croe",
                        "no such file, and no module of that name in 6.2 or out of tree in 6.1;"
                                + " did you mean 'mlx5_core'?"));
    }

    @Test
    void doesNotTreatAMissingPathAsAName() throws IOException {
        ModuleArguments found = expand("./a", "a.ko", "", "x\0y");
        assertThat(found.modules()).isEmpty();
        assertThat(found.problems())
                .containsExactly(
                        new InputProblem("./a", NO_SUCH_FILE),
                        new InputProblem("a.ko", NO_SUCH_FILE),
                        new InputProblem("", NO_SUCH_FILE),
                        new InputProblem("x\0y", "not a valid path"));
    }

    @Test
    void keepsAFileOnceUnderItsFirstName() throws IOException {
        system.files("/src/a.ko").link("/src/b.ko", "a.ko");
        String file = host("/src/a.ko");
        assertThat(expand(host("/src/./a.ko"), file, host("/src"), host("/src/b.ko"))
                        .modules())
                .containsExactly(new ModuleSource(system.at("/src/a.ko"), host("/src/./a.ko")));
    }

    @Test
    void standardInputNamesOneFilePerLine() throws IOException {
        system.files("/src/a.ko", "/src/b c.ko");
        String list = host("/src/b c.ko") + "\n\n" + host("/src/a.ko") + "\n" + host("/none.ko");
        ModuleArguments found = expand(list.getBytes(StandardCharsets.UTF_8), "-");
        assertThat(found.modules())
                .extracting(ModuleSource::host)
                .containsExactly(system.at("/src/b c.ko"), system.at("/src/a.ko"));
        assertThat(found.problems()).containsExactly(new InputProblem(host("/none.ko"), NO_SUCH_FILE));
    }

    @Test
    void keepsLineFeedsInNulSeparatedNames() throws IOException {
        system.files("/src/a\nb.ko", "/src/c.ko");
        String list = host("/src/a\nb.ko") + "\0" + host("/src/c.ko") + "\0";
        assertThat(expand(list.getBytes(StandardCharsets.UTF_8), "-").modules())
                .extracting(ModuleSource::display)
                .containsExactly(host("/src/a\nb.ko"), host("/src/c.ko"));
    }

    @Test
    void namesThatAreNotUtf8AreFoundByTheirBytes() throws Exception {
        system.directory("/src");
        String script = "touch \"$1/$(printf 'caf\\351').ko\"";
        Process touch = new ProcessBuilder("sh", "-c", script, "sh", host("/src")).start();
        assumeThat(touch.waitFor()).isZero();
        byte[] list = (host("/src") + "//caf\u00e9.ko").getBytes(StandardCharsets.ISO_8859_1);
        List<ModuleSource> found = expand(list, "-").modules();
        assertThat(found).hasSize(1);
        assertThat(Files.exists(found.get(0).host())).isTrue();
        assertThat(expand(host("/src")).modules())
                .extracting(ModuleSource::host)
                .containsExactly(found.get(0).host());
    }

    @Test
    void reportsAnOverlongPathWithItsNumber() throws IOException {
        byte[] list = ("/none\n" + "x".repeat(5000) + "\n").getBytes(StandardCharsets.UTF_8);
        assertThat(expand(list, "-").problems())
                .containsExactly(
                        new InputProblem("standard input:2", "longer than a path can be"),
                        new InputProblem("/none", NO_SUCH_FILE));
    }

    @Test
    void relativeBytesMakeARelativePath() {
        byte[] bytes = "../d/caf\u00e9".getBytes(StandardCharsets.ISO_8859_1);
        Path path = PathBytes.toPath(bytes, 0, bytes.length);
        assertThat(path.isAbsolute()).isFalse();
        assertThat(path.getNameCount()).isEqualTo(3);
        assertThat(path.getName(0)).hasToString("..");
    }
}
