package dev.weaklink.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.InstalledModules;
import dev.weaklink.testing.TreeBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModulesInUseTest {
    @TempDir
    Path directory;

    private TreeBuilder tree;

    @BeforeEach
    void install() throws IOException {
        tree = TreeBuilder.in(directory.toRealPath());
        tree.modulesOrder("6.2", List.of("kernel/a.ko")).file("lib/modules/6.2/kernel/a.ko", new byte[9]);
        tree.file("lib/modules/6.1/updates/dkms/zfs.ko", new byte[9]);
    }

    private ModulesInUse find(boolean running) throws IOException {
        Root root = Root.of(tree.root());
        return ModulesInUse.find(new InstalledModules(root), root, running, List.of());
    }

    private void loaded(String... lines) {
        tree.file("proc/modules", String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void countsOutOfTreeModulesOfEveryKernelAsInUse() throws IOException {
        tree.file("lib/modules/6.2/extra/driver.ko", new byte[9]);
        assertThat(find(false).names()).containsExactly("driver", "zfs");
        assertThat(find(false).complete()).isTrue();
    }

    @Test
    void countsAnAddedModuleInAnyDirectoryAsInUse() throws IOException {
        tree.file("lib/modules/6.2/misc/vmmon.ko", new byte[9]);
        tree.file("lib/modules/6.2/kernel/nvidia-535/nvidia.ko", new byte[9]);
        assertThat(find(false).names()).containsExactly("nvidia", "vmmon", "zfs");
        assertThat(find(false).complete()).isTrue();
    }

    @Test
    void countsALoadedOutOfTreeModuleAsInUseEvenIfModulesOrderListsIt() throws IOException {
        loaded("a 1 0 - Live 0x0 (OE)", "b 2 1 vmmon, Live 0x0 (E)");
        assertThat(find(false).names()).containsExactly("zfs");
        assertThat(find(true).names()).containsExactly("a", "zfs");
        assertThat(find(true).complete()).isTrue();
    }

    @Test
    void countsALoadedModuleWithoutAFileAsInUse() throws IOException {
        loaded("nvidia 1 0 - Live 0x0 (POE)", "a 1 0 - Live 0x0 (OE)", "livepatch_1 1 0 - Live 0x0 (OEK)");
        assertThat(find(true).problems())
                .containsExactly(
                        new InputProblem("nvidia", "out-of-tree module is loaded, but its file is not installed"));
    }

    @Test
    void reportsDirectoriesThatCannotBeSearched() throws IOException {
        tree.weakLink("6.2", "extra/loop", "6.2", "extra");
        assertThat(find(false).problems())
                .containsExactly(
                        new InputProblem("/lib/modules/6.2/extra/loop", "skipped: link to a directory above the link"));
    }
}
