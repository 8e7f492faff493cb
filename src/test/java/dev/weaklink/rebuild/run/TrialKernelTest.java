package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weaklink.sys.NotDoneException;
import dev.weaklink.testing.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrialKernelTest {
    private static final Isolation NONE = new Isolation(List.of(), -1, -1);

    @TempDir
    Path directory;

    @Test
    void namesAGivenPackageWithoutHeadersByItsPath() throws IOException {
        Path scratch = Files.createDirectory(directory.resolve("run"));
        Path file = emptyPackage(directory);
        assertThatThrownBy(() -> TrialKernel.packages(List.of(file), scratch, NONE))
                .isInstanceOf(NotDoneException.class)
                .hasMessage(file + ": contains no headers of a kernel; give the headers packages of one kernel, such as"
                        + " Debian's linux-headers-6.1.0-53-amd64, linux-headers-6.1.0-53-common and"
                        + " linux-kbuild-6.1");
    }

    @Test
    void namesAFetchedPackageWithoutTheDirectoryOfTheTrial() throws IOException {
        Path file = emptyPackage(directory);
        assertThatThrownBy(() -> TrialKernel.packages(List.of(file), directory, NONE))
                .isInstanceOf(NotDoneException.class)
                .hasMessage("linux-headers-6.1_1_all.deb: contains no headers of a kernel");
    }

    @Test
    void namesADamagedPackageInsteadOfItsCopy() throws IOException {
        ExternalTool.orSkip("dpkg-deb");
        Path scratch = Files.createDirectory(directory.resolve("run"));
        Path file = Files.writeString(directory.resolve("damaged.deb"), "not a package");
        assertThatThrownBy(() -> TrialKernel.packages(List.of(file), scratch, NONE))
                .isInstanceOf(NotDoneException.class)
                .hasMessageStartingWith(file + ": cannot be unpacked: ")
                .hasMessageNotContaining(scratch.toString());
    }

    /** Any user may have made the package, and the links would lead out of the directory that it is unpacked to. */
    @Test
    void acceptsNoHeadersThroughLinks() throws IOException {
        Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("Module.symvers"), "");
        Path generated = Files.createDirectories(elsewhere.resolve("include/generated"));
        Files.writeString(generated.resolve("utsrelease.h"), "#define UTS_RELEASE \"6.1.0-9\"\n");
        Path linked = packageOf(directory, tree -> {
            Files.createDirectories(tree.resolve("usr/src"));
            Files.createSymbolicLink(tree.resolve("usr/src/linux-headers-6.1"), elsewhere);
        });
        Path scratch = Files.createDirectory(directory.resolve("run"));

        assertThatThrownBy(() -> TrialKernel.packages(List.of(linked), scratch, NONE))
                .isInstanceOf(NotDoneException.class)
                .hasMessageContaining("contains no headers of a kernel");
    }

    private interface Contents {
        void write(Path tree) throws IOException;
    }

    private static Path emptyPackage(Path place) throws IOException {
        return packageOf(place, tree -> {});
    }

    private static Path packageOf(Path place, Contents contents) throws IOException {
        Path tree = Files.createDirectories(place.resolve("tree/DEBIAN")).getParent();
        Files.writeString(tree.resolve("DEBIAN/control"), """
                Package: linux-headers-6.1
                Version: 1
                Architecture: all
                Maintainer: x <x@x>
                Description: x
                """);
        contents.write(tree);
        Path file = place.resolve("linux-headers-6.1_1_all.deb");
        ExternalTool.orSkip("dpkg-deb").run("--root-owner-group", "-Znone", "-b", tree.toString(), file.toString());
        return file;
    }
}
