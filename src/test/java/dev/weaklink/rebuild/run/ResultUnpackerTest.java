package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.testing.ExternalTool;
import dev.weaklink.testing.RealPackages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the contents of a package count, and not its file name. */
class ResultUnpackerTest {
    private static final String KERNEL = "6.1.0-54-amd64";

    /** The name of a package that mlnx_add_kernel_support.sh builds on Debian and Ubuntu. */
    private static final String DEBIAN =
            "mlnx-ofed-kernel-modules_24.10.OFED.24.10.1.1.4.1-1.kver." + KERNEL + "_amd64.deb";

    /** The name of a package that mlnx_add_kernel_support.sh builds on other distributions. */
    private static final String RPM = "mlnx-ofa_kernel-modules-24.10-OFED.24.10.1.1.4.1.kver.6.1.0_54_amd64.x86_64.rpm";

    @TempDir
    Path tmp;

    private ResultUnpacker unpacker;

    @BeforeEach
    void prepare() {
        unpacker = new ResultUnpacker(tmp.resolve("modules"), KERNEL);
    }

    private Path tree(String name, String... files) throws IOException {
        Path tree = tmp.resolve(name);
        for (String file : files) {
            Files.createDirectories(tree.resolve(file).getParent());
            Files.writeString(tree.resolve(file), "bytes of " + file);
        }
        return tree;
    }

    private Path named(Path built, String name) throws IOException {
        return Files.move(built, Files.createDirectories(tmp.resolve("made")).resolve(name));
    }

    private Path deb(String name, String... files) throws IOException {
        Path scratch = Files.createDirectories(tmp.resolve("scratch"));
        return named(RealPackages.deb(scratch, tree("tree of " + name, files)), name);
    }

    private Path rpm(String name, String... files) throws IOException {
        Path scratch = Files.createDirectories(tmp.resolve("scratch-of-" + name.length()));
        return named(RealPackages.rpm(scratch, tree("tree-" + name, files)), name);
    }

    private Path archive(String directory) throws IOException {
        Path archive = tmp.resolve("result.tgz");
        ExternalTool.orSkip("tar").run("czf", archive.toString(), "-C", tmp.toString(), directory);
        return archive;
    }

    private List<String> names(List<Path> files) {
        return files.stream().map(file -> String.valueOf(file.getFileName())).toList();
    }

    @Test
    void unpacksPackagesWithDebiansNames() throws IOException {
        Path deb = deb(DEBIAN, "lib/modules/" + KERNEL + "/updates/mlx5_core.ko");
        unpacker.add(List.of(deb));
        assertThat(unpacker.packages()).containsExactly(deb);
        assertThat(names(unpacker.modules())).containsExactly("mlx5_core.ko");
        assertThat(unpacker.modules().get(0))
                .hasContent("bytes of lib/modules/" + KERNEL + "/updates/mlx5_core.ko")
                .asString()
                .endsWith("/lib/modules/" + KERNEL + "/updates/mlx5_core.ko");
    }

    @Test
    void unpacksPackagesWithNamesOfRpms() throws IOException {
        Path rpm = rpm(RPM, "lib/modules/" + KERNEL + "/extra/mlnx-ofa_kernel/mlx5_core.ko");
        unpacker.add(List.of(rpm));
        assertThat(unpacker.packages()).containsExactly(rpm);
        assertThat(names(unpacker.modules())).containsExactly("mlx5_core.ko");
    }

    @Test
    void unpacksModulesEvenIfTheNameIsOfAnotherKernel() throws IOException {
        Path deb = deb(
                "x.kver.5.10.0-1-amd64_amd64.deb",
                "usr/lib/modules/" + KERNEL + "/updates/a.ko.xz",
                "lib/modules/5.10.0-1-amd64/updates/b.ko");
        unpacker.add(List.of(deb));
        assertThat(unpacker.packages()).containsExactly(deb);
        assertThat(names(unpacker.modules())).containsExactly("a.ko.xz");
        assertThat(unpacker.otherKernels()).containsExactly("5.10.0-1-amd64");
    }

    @Test
    void ignoresModulesOfAnotherKernelWhateverTheName() throws IOException {
        unpacker.add(List.of(deb(DEBIAN, "lib/modules/6.1.0-55-amd64/updates/mlx5_core.ko")));
        assertThat(unpacker.packages()).isEmpty();
        assertThat(unpacker.modules()).isEmpty();
        assertThat(unpacker.otherKernels()).containsExactly("6.1.0-55-amd64");
        assertThat(tmp.resolve("modules/1")).doesNotExist();
    }

    @Test
    void keepsOnlyPackagesWithModules() throws IOException {
        Path made = Files.createDirectories(tmp.resolve("image/DEBS/COMMON"));
        Path deb = deb(DEBIAN, "lib/modules/" + KERNEL + "/updates/mlx5_core.ko");
        Files.move(deb, made.resolve(DEBIAN));
        Path tools = deb("mlnx-tools_24.10_all.deb", "usr/sbin/tool");
        Files.move(tools, made.resolve("mlnx-tools_24.10_all.deb"));
        unpacker.add(List.of(archive("image")));
        assertThat(names(unpacker.packages())).containsExactly(DEBIAN);
        assertThat(unpacker.packages().get(0)).isRegularFile();
        assertThat(unpacker.packages().get(0).resolveSibling("mlnx-tools_24.10_all.deb"))
                .doesNotExist();
        assertThat(names(unpacker.modules())).containsExactly("mlx5_core.ko");
    }

    /** DOCA-Host's repository contains such a package of packages. */
    @Test
    void unpacksNestedPackages() throws IOException {
        Path inner = deb("doca-kernel.deb", "lib/modules/" + KERNEL + "/updates/mlx5_core.ko");
        Path below = tmp.resolve("tree of doca-kernel-repo.deb/usr/share/doca/Modules");
        Files.createDirectories(below);
        Files.move(inner, below.resolve("doca-kernel.deb"));
        Path repository = deb("doca-kernel-repo.deb");
        unpacker.add(List.of(repository));
        assertThat(names(unpacker.packages())).containsExactly("doca-kernel.deb");
        assertThat(names(unpacker.modules())).containsExactly("mlx5_core.ko");
    }

    @Test
    void ignoresModulesForDebuggers() throws IOException {
        unpacker.add(List.of(deb("m-dbg.deb", "usr/lib/debug/lib/modules/" + KERNEL + "/updates/m.ko")));
        assertThat(unpacker.modules()).isEmpty();
        assertThat(unpacker.packages()).isEmpty();
    }

    @Test
    void keepsDepmodsOverrides() throws IOException {
        unpacker.add(List.of(
                deb(
                        "a.deb",
                        "lib/modules/" + KERNEL + "/updates/a.ko",
                        "etc/depmod.d/zz01-a.conf",
                        "usr/share/doc/etc/depmod.d/example.conf"),
                deb("tools.deb", "etc/depmod.d/tools.conf")));
        assertThat(names(unpacker.overrides())).containsExactly("zz01-a.conf");
    }

    @Test
    void namesATruncatedResult() throws IOException {
        Path deb = deb(DEBIAN, "lib/modules/" + KERNEL + "/updates/mlx5_core.ko");
        byte[] all = Files.readAllBytes(deb);
        Files.write(deb, Arrays.copyOf(all, all.length - 100));
        assertThatThrownBy(() -> unpacker.add(List.of(deb)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(deb + ": ");
    }

    @Test
    void writesNothingOutsideTheDirectory() throws IOException {
        Path image = tree("image", "lib/modules/" + KERNEL + "/updates/a.ko");
        Path archive = tmp.resolve("result.tar");
        ExternalTool.orSkip("tar")
                .run(
                        "cPf",
                        archive.toString(),
                        "--transform=s,.*,../../escaped.ko,",
                        "-C",
                        image.toString(),
                        "lib/modules/" + KERNEL + "/updates/a.ko");
        assertThatThrownBy(() -> unpacker.add(List.of(archive))).hasMessageContaining("leads out of the package");
        assertThat(tmp.resolve("escaped.ko")).doesNotExist();
    }
}
