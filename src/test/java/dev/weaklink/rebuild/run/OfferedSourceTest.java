package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.NotDoneException;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OfferedSourceTest {
    private static final Isolation NONE = new Isolation(List.of(), -1, -1);

    @TempDir
    Path directory;

    private Path sources = Path.of("");

    @BeforeEach
    void makeDirectories() throws IOException {
        sources = Files.createDirectory(directory.resolve("sources"));
        write("usr/src/other-2.0/dkms.conf", "PACKAGE_NAME=other\nPACKAGE_VERSION=2.0\n");
    }

    @Test
    void copiesTheSourceOfTheInstalledPackage() throws IOException, NotDoneException {
        write("usr/src/acme-2.0/dkms.conf", "PACKAGE_NAME=acme\nPACKAGE_VERSION=2.0\n");
        write("usr/src/acme-2.0/acme.c", "int acme;\n");
        assertThat(unpack()).isEqualTo("acme/2.0");
        assertThat(sources.resolve("acme-2.0/acme.c")).hasContent("int acme;");
        assertThat(sources.resolve("other-2.0")).doesNotExist();
    }

    @Test
    void refusesAPackageWithoutThatSource() throws IOException {
        assertThatThrownBy(this::unpack)
                .isInstanceOf(NotDoneException.class)
                .hasMessage("acme-dkms.deb: contains no source of acme");
    }

    @Test
    void followsNoLinksOutOfThePackage() throws IOException {
        Path outside = Files.createDirectory(directory.resolve("acme-3"));
        Files.writeString(outside.resolve("dkms.conf"), "PACKAGE_NAME=acme\nPACKAGE_VERSION=3\n");
        Files.createSymbolicLink(directory.resolve("tree/usr/src/acme-3"), outside);
        assertThatThrownBy(this::unpack).isInstanceOf(NotDoneException.class);
    }

    @Test
    void followsNoLinkInPlaceOfADirectoryAboveTheSource() throws IOException {
        Path outside = Files.createDirectories(directory.resolve("outside/acme-3"));
        Files.writeString(outside.resolve("dkms.conf"), "PACKAGE_NAME=acme\nPACKAGE_VERSION=3\n");
        Path place = directory.resolve("tree/usr/src");
        DurableFiles.deleteTree(place);
        Files.createSymbolicLink(place, outside.resolveSibling("."));
        assertThatThrownBy(this::unpack)
                .isInstanceOf(NotDoneException.class)
                .hasMessage("acme-dkms.deb: contains no source of acme");
    }

    private void write(String name, String text) throws IOException {
        Path file = directory.resolve("tree").resolve(name);
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
    }

    private String unpack() throws IOException, NotDoneException {
        write(
                "DEBIAN/control",
                "Package: acme-dkms\nVersion: 2.0\nArchitecture: all\nMaintainer: x <x@x>\nDescription: x\n");
        Path file = directory.resolve("acme-dkms.deb");
        ExternalTool.orSkip("dpkg-deb")
                .run(
                        "--root-owner-group",
                        "-Znone",
                        "-b",
                        directory.resolve("tree").toString(),
                        file.toString());
        return OfferedSource.unpack(file, "acme/1.0", directory, sources, NONE);
    }
}
