package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.NotDoneException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A driver's source directory becomes a DKMS package, without changes to the directory. */
class DriverSourceTest {
    @TempDir
    Path place;

    private Path source;
    private Path sources;

    @BeforeEach
    void makeDirectories() throws IOException {
        source = Files.createDirectory(place.resolve("acme-driver"));
        sources = Files.createDirectory(place.resolve("sources"));
    }

    @Test
    void copiesADkmsPackageWithoutItsVersionControlData() throws Exception {
        Files.writeString(source.resolve("dkms.conf"), "PACKAGE_NAME=\"acme\"\nPACKAGE_VERSION='1.0-2' # of today\n");
        Files.createDirectory(source.resolve(".git"));
        Files.writeString(source.resolve(".git/config"), "");
        Files.createDirectory(source.resolve("src"));
        Files.writeString(source.resolve("src/acme.c"), "int a;");
        assertThat(DriverSource.copy(source, sources)).isEqualTo("acme/1.0-2");
        assertThat(sources.resolve("acme-1.0-2/src/acme.c")).hasContent("int a;");
        assertThat(sources.resolve("acme-1.0-2/.git")).doesNotExist();
        assertThat(Files.getAttribute(sources.resolve("acme-1.0-2/src"), "unix:mode"))
                .isEqualTo(040755);
    }

    @Test
    void makesDkmsConfForAMakefileThatNamesModules() throws Exception {
        Files.writeString(
                source.resolve("Makefile"),
                "obj-m += acme.o \\\n  acme_fs.o\nobj-$(CONFIG_X) := extra.o\nacme-y := a.o\n");
        assertThat(DriverSource.copy(source, sources)).isEqualTo("acme-driver/0");
        assertThat(sources.resolve("acme-driver-0/dkms.conf"))
                .content()
                .contains(
                        "BUILT_MODULE_NAME[0]=acme\n",
                        "BUILT_MODULE_NAME[1]=acme_fs\n",
                        "BUILT_MODULE_NAME[2]=extra\n");
        assertThat(source.resolve("dkms.conf")).doesNotExist();
    }

    @Test
    void rejectsADirectoryWithoutModules() throws Exception {
        Files.writeString(source.resolve("Makefile"), "all:\n\techo\n");
        assertThatThrownBy(() -> DriverSource.copy(source, sources))
                .isInstanceOf(NotDoneException.class)
                .hasMessageContaining("no dkms.conf, and no Makefile or Kbuild with obj-m");
    }

    @Test
    void rejectsNamesThatWouldLeaveTheDirectory() throws Exception {
        for (String name : new String[] {"../../etc", "$(id)", "a b", ""}) {
            Files.writeString(source.resolve("dkms.conf"), "PACKAGE_NAME=\"" + name + "\"\nPACKAGE_VERSION=1\n");
            assertThatThrownBy(() -> DriverSource.copy(source, sources))
                    .isInstanceOf(NotDoneException.class)
                    .hasMessageContaining("no plain PACKAGE_NAME");
        }
    }
}
