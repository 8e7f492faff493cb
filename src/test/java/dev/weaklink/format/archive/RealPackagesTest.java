package dev.weaklink.format.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageInfo.PackageKind;
import dev.weaklink.format.archive.PackageInfo.PackageRelation;
import dev.weaklink.format.archive.PackageReader.PackageLimits;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests with packages that the tools of distributions built. */
class RealPackagesTest {
    private static final String DIRECTORY = "/lib/modules/6.1/extra/";

    @TempDir
    Path temp;

    @ParameterizedTest
    @ValueSource(strings = {"w9.gzdio", "w6.xzdio", "w3.zstdio", "w9.bzdio", "w6.lzdio", "w.ufdio"})
    void readsWhatRpmbuildMakes(String payload) throws IOException {
        ExternalTool rpmbuild = ExternalTool.orSkip("rpmbuild");
        Path spec = Files.writeString(temp.resolve("kmod-m.spec"), SPEC);
        rpmbuild.run(
                "-bb",
                "--define",
                "_topdir " + temp.resolve("top"),
                "--define",
                "_binary_payload " + payload,
                spec.toString());
        Path rpm = only(temp.resolve("top/RPMS/noarch"));
        Visited visited = Visited.all(rpm);
        assertThat(visited.problems).isEmpty();
        assertThat(visited.text(DIRECTORY + "m.ko")).isEqualTo("module\n");
        assertThat(visited.text(DIRECTORY + "h1.ko")).isEqualTo("linked\n");
        assertThat(visited.entries.get(DIRECTORY + "h2.ko"))
                .isNotNull()
                .extracting(PackageEntry::type, PackageEntry::target)
                .containsExactly(EntryType.HARDLINK, DIRECTORY + "h1.ko");
        assertThat(visited.entries.get(DIRECTORY + "l.ko"))
                .isNotNull()
                .extracting(PackageEntry::type, PackageEntry::target)
                .containsExactly(EntryType.SYMLINK, "m.ko");
        assertThat(visited.entries.get(DIRECTORY.substring(0, DIRECTORY.length() - 1)))
                .isNotNull()
                .extracting(PackageEntry::type)
                .isEqualTo(EntryType.DIRECTORY);
        try (PackageFile open = PackageReader.open(rpm, PackageLimits.DEFAULT)) {
            assertThat(open.info().name()).isEqualTo("kmod-m");
            assertThat(open.info().version()).isEqualTo("2:1.0-3");
            assertThat(open.info().product()).isEqualTo("kmod-m");
            assertThat(open.info().requires())
                    .contains(
                            new PackageRelation("kernel(printk)", "=", "0x92997ed8"),
                            new PackageRelation("kernel", ">=", "6.1"));
        }
    }

    private static final String SPEC = """
      Name: kmod-m
      Epoch: 2
      Version: 1.0
      Release: 3
      Summary: a module
      License: none
      BuildArch: noarch
      Requires: kernel(printk) = 0x92997ed8
      Requires: kernel >= 6.1
      Provides: ksym(mine) = 0xdeadbeef
      %description
      A module.
      %global __os_install_post %{nil}
      %install
      cd %{buildroot}
      mkdir -p lib/modules/6.1/extra
      cd lib/modules/6.1/extra
      echo module > m.ko
      ln -s m.ko l.ko
      echo linked > h1.ko
      ln h1.ko h2.ko
      %files
      /lib/modules/6.1/extra
      """;

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "xz", "zstd", "none"})
    void readsWhatDpkgDebMakes(String packing) throws IOException {
        ExternalTool dpkgDeb = ExternalTool.orSkip("dpkg-deb");
        Path tree = temp.resolve("tree");
        Files.createDirectories(tree.resolve("DEBIAN"));
        Files.writeString(tree.resolve("DEBIAN/control"), """
        Package: kmod-m
        Version: 1.0-3
        Architecture: all
        Maintainer: nobody <nobody@example.org>
        Depends: kmod (>= 30)
        Description: a module
        """);
        Files.createDirectories(tree.resolve("lib/modules/6.1/extra"));
        Files.writeString(tree.resolve("lib/modules/6.1/extra/m.ko"), "module\n");
        Path deb = temp.resolve("m.deb");
        dpkgDeb.run("--build", "-Z" + packing, tree.toString(), deb.toString());
        assertThat(Visited.all(deb).text(DIRECTORY + "m.ko")).isEqualTo("module\n");
        try (PackageFile open = PackageReader.open(deb, PackageLimits.DEFAULT)) {
            assertThat(open.info())
                    .isEqualTo(new PackageInfo(
                            PackageKind.DEB,
                            "kmod-m",
                            "1.0-3",
                            "kmod-m",
                            List.of(new PackageRelation("kmod", ">=", "30"))));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"v7", "ustar", "gnu", "oldgnu", "posix"})
    void readsWhatTarMakes(String format) throws IOException {
        ExternalTool tar = ExternalTool.orSkip("tar");
        String name = "n".repeat(format.matches("gnu|posix") ? 200 : 80) + ".ko";
        Files.createDirectories(temp.resolve("in/d"));
        Files.writeString(temp.resolve("in/d").resolve(name), "module");
        Files.createSymbolicLink(temp.resolve("in/l"), Path.of("d", name));
        Path archive = temp.resolve("m.tar");
        tar.run("-C", temp.resolve("in").toString(), "--format=" + format, "-cf", archive.toString(), ".");
        Visited visited = Visited.all(archive);
        assertThat(visited.text("/d/" + name)).isEqualTo("module");
        assertThat(visited.entries.get("/l"))
                .isNotNull()
                .extracting(PackageEntry::target)
                .isEqualTo("d/" + name);
    }

    @Test
    void sparseFilesOfTarAreReadWithTheirHoles() throws IOException {
        ExternalTool tar = ExternalTool.orSkip("tar");
        Path file = temp.resolve("f");
        ExternalTool.orSkip("sh").run("-c", "truncate -s 1M '" + file + "'; printf end >> '" + file + "'");
        Path archive = temp.resolve("m.tar");
        tar.run("-C", temp.toString(), "-S", "-cf", archive.toString(), "f");
        assertThat(Visited.all(archive).contents.get("/f"))
                .isNotNull()
                .hasSize((1 << 20) + 3)
                .endsWith('e', 'n', 'd');
    }

    private static Path only(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> all = files.toList();
            assertThat(all).hasSize(1);
            return all.get(0);
        }
    }
}
