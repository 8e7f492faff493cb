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
    private static final Isolation NONE = new Isolation(false, -1, -1);

    @TempDir
    Path directory;

    @Test
    void namesAGivenPackageWithoutHeadersByItsPath() throws IOException {
        Path scratch = Files.createDirectory(directory.resolve("run"));
        Path file = emptyPackage(directory);
        assertThatThrownBy(() -> TrialKernel.packages(List.of(file), scratch, NONE))
                .isInstanceOf(NotDoneException.class)
                .hasMessage(file + ": contains no headers of a kernel; give the packages of one kernel, on Debian"
                        + " linux-headers-K, linux-headers-K-common and linux-kbuild");
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

    private static Path emptyPackage(Path place) throws IOException {
        Path tree = Files.createDirectories(place.resolve("tree/DEBIAN")).getParent();
        Files.writeString(tree.resolve("DEBIAN/control"), """
                Package: linux-headers-6.1
                Version: 1
                Architecture: all
                Maintainer: x <x@x>
                Description: x
                """);
        Path file = place.resolve("linux-headers-6.1_1_all.deb");
        ExternalTool.orSkip("dpkg-deb").run("--root-owner-group", "-Znone", "-b", tree.toString(), file.toString());
        return file;
    }
}
