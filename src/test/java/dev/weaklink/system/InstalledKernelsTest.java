package dev.weaklink.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstalledKernelsTest {
    @TempDir
    Path temp;

    private FakeSystem system;

    @BeforeEach
    void makeSystem() throws IOException {
        system = new FakeSystem(temp.resolve("image"));
    }

    @Test
    void kernelsAreListedFromOldToNew() throws IOException {
        system.directory("/lib/modules/6.1.0-53/kernel").directory("/lib/modules/6.1.0-9/kernel");
        system.files("/lib/modules/5.10/modules.dep", "/lib/modules/6.2/modules.order");
        assertThat(InstalledKernels.list(system.root())).containsExactly("5.10", "6.1.0-9", "6.1.0-53", "6.2");
        assertThat(InstalledKernels.newest(system.root())).isEqualTo("6.2");
    }

    @Test
    void leftoversWithoutModulesAreNoKernels() throws IOException {
        system.directory("/lib/modules/6.1/weak-updates/x").directory("/lib/modules/6.2");
        system.link("/lib/modules/6.3/weak-updates/m.ko", "../../6.0/extra/m.ko");
        system.files("/lib/modules/6.4/build", "/lib/modules/file");
        system.files("/lib/modules/6.5/extra/m.ko.xz", "/lib/modules/.6.6/modules.dep");
        assertThat(InstalledKernels.list(system.root())).containsExactly("6.5");
    }

    @Test
    void modulesThatOutlivedTheirKernelDoNotMakeItTheNewest() throws IOException {
        system.files("/lib/modules/6.1/kernel/fs/f.ko.xz", "/lib/modules/6.2/updates/dkms/m.ko");
        system.files("/lib/modules/6.2/modules.dep");
        assertThat(InstalledKernels.list(system.root())).containsExactly("6.1", "6.2");
        assertThat(InstalledKernels.newest(system.root())).isEqualTo("6.1");
    }

    @Test
    void listsAMergedUsrOnce() throws IOException {
        system.directory("/usr/lib/modules/6.1/kernel").link("/lib", "usr/lib");
        assertThat(InstalledKernels.list(system.root())).containsExactly("6.1");
    }

    @Test
    void listsBothDirectoriesIfTheyDiffer() throws IOException {
        system.directory("/usr/lib/modules/6.2/kernel").directory("/lib/modules/6.1/kernel");
        assertThat(InstalledKernels.list(system.root())).containsExactly("6.1", "6.2");
    }

    @Test
    void findsNoNewestWithoutKernels() throws IOException {
        assertThat(InstalledKernels.list(system.root())).isEmpty();
        assertThat(InstalledKernels.newest(system.root())).isNull();
    }

    @Test
    void linksThatLeaveTheRootFindNoKernels() throws IOException {
        new FakeSystem(temp.resolve("other")).directory("/6.1/kernel");
        system.directory("/lib")
                .link("/lib/modules", temp.resolve("other").toRealPath().toString());
        assertThat(InstalledKernels.list(system.root())).isEmpty();
    }

    private void close(String inside) throws IOException {
        Path host = system.root().resolve(inside);
        Files.setPosixFilePermissions(host, PosixFilePermissions.fromString("rw-r--r--"));
        assumeThat(Files.isExecutable(host)).as("running as root").isFalse();
    }

    /** The kernel of the closed directory may be the newest. */
    @Test
    void failsIfADirectoryCannotBeSearched() throws IOException {
        system.directory("/lib/modules/6.1/kernel").directory("/lib/modules/6.2/kernel");
        system.directory("/lib/modules/lost+found");
        close("/lib/modules/lost+found");
        assertThat(InstalledKernels.list(system.root())).containsExactly("6.1", "6.2");
        close("/lib/modules/6.2");
        assertThatThrownBy(() -> InstalledKernels.list(system.root()))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessageEndingWith("/lib/modules/6.2");
    }

    @Test
    void listsOtherBootableKernelsBesideAnUnreadableDirectory() throws IOException {
        for (String release : List.of("6.1", "6.2", "6.10", "6.11")) {
            system.files("/lib/modules/" + release + "/kernel/m.ko");
        }
        close("/lib/modules/6.2");
        assertThat(InstalledKernels.bootable(system.root())).containsExactly("6.1", "6.10", "6.11");
    }

    @Test
    void reportsALinkIntoAnUnsearchableDirectory() throws IOException {
        system.directory("/lib/modules/6.1/kernel").files("/opt/private/modules/m.ko");
        system.directory("/lib/modules/6.1/extra").link("/lib/modules/6.1/extra/v", "/opt/private/modules");
        close("/opt/private");
        List<InputProblem> problems = new ArrayList<>();
        assertThat(ModuleBuilds.of(system.root(), "6.1", problems)).isEmpty();
        assertThat(problems).containsExactly(new InputProblem("/lib/modules/6.1/extra/v", "permission denied"));
    }
}
