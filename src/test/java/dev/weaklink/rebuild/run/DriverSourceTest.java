package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.NotDoneException;
import dev.weaklink.testing.OtherUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void readsNoFileThatALinkLeadsTo() throws Exception {
        Path outside = Files.writeString(place.resolve("outside"), "PACKAGE_NAME=acme\nPACKAGE_VERSION=1\n");
        Files.createSymbolicLink(source.resolve("dkms.conf"), outside);
        assertThatThrownBy(() -> DriverSource.copy(source, sources)).isInstanceOf(NotDoneException.class);
    }

    /** The directory may belong to another user, who must not be able to have root's files copied. */
    @Test
    void copiesNothingThatTheOwnerOfTheDirectorySwapsIn() throws Exception {
        Path theirs = OtherUser.directoryOrSkip(place.resolve("theirs"));
        Files.writeString(theirs.resolve("Makefile"), "obj-m := acme.o\n");
        Path swapped = Files.createDirectory(theirs.resolve("part"));
        OtherUser.own(swapped);
        Path secret = Files.createDirectory(place.resolve("secret"));
        Files.writeString(secret.resolve("key"), "root's");
        Path success = place.resolve("theirs/success");
        String swap = "rename $ARGV[0], $ARGV[1] and symlink $ARGV[2], $ARGV[0] and open F, '>', $ARGV[3];"
                + " unlink $ARGV[0]; rename $ARGV[1], $ARGV[0];";
        try (OtherUser attacker = OtherUser.repeating(swap, swapped, theirs.resolve("away"), secret, success)) {
            int copied = 0;
            for (int i = 0; i < 200; i++) {
                Path into = Files.createDirectory(place.resolve("copy" + i));
                try {
                    DriverSource.copy(theirs, into);
                    copied++;
                } catch (IOException e) {
                    // An entry did not exist at that moment.
                }
                for (String name : List.of("new", "theirs-0")) {
                    Path part = into.resolve(name).resolve("part");
                    assertThat(Files.isSymbolicLink(part) || !Files.exists(part.resolve("key")))
                            .as("no copy of root's file")
                            .isTrue();
                }
            }
            assertThat(attacker).isNotNull();
            assertThat(copied).isPositive();
        }
        assertThat(success).exists();
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
            Path into = Files.createDirectory(sources.resolve(Integer.toHexString(name.hashCode())));
            assertThatThrownBy(() -> DriverSource.copy(source, into))
                    .isInstanceOf(NotDoneException.class)
                    .hasMessageContaining("no plain PACKAGE_NAME");
        }
    }
}
