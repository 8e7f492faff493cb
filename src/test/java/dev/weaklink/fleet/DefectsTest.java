package dev.weaklink.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import dev.weaklink.fleet.intake.NodeInventory.NodeKernel;
import dev.weaklink.fleet.intake.NodeInventory.RunningModule;
import dev.weaklink.fleet.intake.NodePolicy;
import dev.weaklink.testing.Records;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DefectsTest {
    private static final String K = "5.14.0-9";
    private static final String OTHER = "5.14.0-10";

    private static Module module(String kernel, String path, @Nullable String version, @Nullable String srcversion) {
        return module(kernel, path, version, srcversion, K);
    }

    private static Module module(
            String kernel, String path, @Nullable String version, @Nullable String srcversion, String builtFor) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        return new Module(
                kernel,
                name,
                "/lib/modules/" + kernel + "/" + path + ".ko",
                true,
                null,
                null,
                "sha256:x",
                version,
                srcversion,
                builtFor + " SMP mod_unload ",
                null,
                null);
    }

    private static NodeInventory node(@Nullable String ofed, List<Module> modules, RunningModule... loaded) {
        return Records.of(
                NodeInventory.class,
                "running",
                K,
                "kernels",
                List.of(new NodeKernel(K, true), new NodeKernel(OTHER, true)),
                "modules",
                modules,
                "loaded",
                List.of(loaded),
                "ofed",
                ofed,
                "policy",
                NodePolicy.PERMISSIVE);
    }

    private static List<String> running(NodeInventory inventory) {
        return RunningSystem.defects(inventory).stream()
                .map(defect -> defect.kind().id() + " " + defect.subject() + ": " + defect.detail())
                .toList();
    }

    @Test
    void treatsALoadedModuleWithoutTheTaintAsInTree() {
        List<Module> added = List.of(module(K, "extra/mlx5_core", null, "AAA"));
        assertThat(running(node(null, added, new RunningModule("mlx5_core", "BBB", null))))
                .containsExactly("inbox-loaded mlx5_core: srcversion BBB is loaded, not that of"
                        + " /lib/modules/5.14.0-9/extra/mlx5_core.ko");
        assertThat(running(node(null, added, new RunningModule("mlx5_core", null, "E"))))
                .singleElement()
                .asString()
                .startsWith("inbox-loaded mlx5_core: srcversion none is loaded");
        assertThat(running(node(null, added, new RunningModule("mlx5_core", "BBB", "OE"))))
                .containsExactly("loaded-differs mlx5_core: srcversion BBB is loaded, AAA is on disk");
    }

    @Test
    void reportsNoDefectIfTheBuildIsEqualOrUnknown() {
        List<Module> added = List.of(module(K, "extra/a", null, "AAA"), module(K, "extra/b", null, null));
        assertThat(running(node(
                        null,
                        added,
                        new RunningModule("a", "AAA", null),
                        new RunningModule("b", "BBB", null),
                        new RunningModule("unrelated", "CCC", null))))
                .isEmpty();
        assertThat(running(node(null, added, new RunningModule("a", null, "O"))))
                .isEmpty();
    }

    @Test
    void reportsALoadedInTreeModuleIfAnotherKernelHasABuild() {
        List<Module> added = List.of(module(OTHER, "extra/mlx5_core", null, "AAA"));
        assertThat(running(node(null, added, new RunningModule("mlx5_core", "BBB", null))))
                .containsExactly("inbox-loaded mlx5_core: no build for this kernel; a build for another kernel is"
                        + " /lib/modules/5.14.0-10/extra/mlx5_core.ko");
        assertThat(running(node(null, added, new RunningModule("mlx5_core", "BBB", "O"))))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "not listed"})
    void treatsABuildThatModulesDepDoesNotListAsABuild(String use) {
        Module own = module(K, "extra/mlx5_core", null, "AAA");
        Module unlisted = Records.with(own, "used", use.equals("unknown") ? null : Boolean.FALSE);
        List<Module> added = List.of(unlisted, module(OTHER, "extra/mlx5_core", null, "AAA"));
        assertThat(running(node(null, added, new RunningModule("mlx5_core", "BBB", null))))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "MLNX_OFED_LINUX-24.10-1.1.4.0, 24.10-1.1.4, false",
        "OFED-internal-24.10-1.1.4, 24.10-1.1.4, false",
        "MLNX_OFED_LINUX-24.10-1.1.4.0, 24.07-0.6.1, true",
        "MLNX_OFED_LINUX-24.10-1.1.4.0, 24.1, true",
        "mystery, 24.07-0.6.1, false",
    })
    void librariesAndModulesAreComparedByVersion(String ofed, String version, boolean wrong) {
        List<String> found = running(node(ofed, List.of(module(K, "extra/mlx5_core", version, "AAA"))));
        if (wrong) {
            assertThat(found)
                    .containsExactly(
                            "out-of-step mlx5_core: the module is " + version + ", the installed OFED is " + ofed);
        } else {
            assertThat(found).isEmpty();
        }
    }

    @Test
    void reportsARunningKernelThatWasRemoved() {
        NodeInventory gone = Records.of(
                NodeInventory.class,
                "running",
                "5.14.0-1",
                "kernels",
                List.of(new NodeKernel(K, true), new NodeKernel("5.14.0-1", false)));
        assertThat(running(gone))
                .containsExactly("no-directory 5.14.0-1: modprobe can load no further module until a reboot");
    }

    @Test
    void partsOfDifferentBuildsAreAHalfUpdatedProduct() {
        List<Module> mixed = List.of(
                module(K, "extra/mlnx-ofa_kernel/a", null, null, K),
                module(K, "extra/mlnx-ofa_kernel/b", null, null, OTHER),
                module(K, "extra/mlx5_core", "24.10-1.1.4", null),
                module(K, "extra/mlx_compat", "24.07-0.6.1", null));
        assertThat(ModuleSet.of(K, mixed, NodePolicy.PERMISSIVE).defects())
                .extracting(defect -> defect.kind().id() + " " + defect.subject() + ": " + defect.detail())
                .containsExactlyInAnyOrder(
                        "half-updated mlnx-ofa_kernel: built for 5.14.0-10: b; built for 5.14.0-9: a",
                        "half-updated OFED: 24.07-0.6.1: mlx_compat; 24.10-1.1.4: mlx5_core");
    }

    @Test
    void differentProductsMayBeOfDifferentBuilds() {
        List<Module> fine = List.of(
                module(K, "extra/zfs/zfs", "2.1", null, K),
                module(K, "extra/knem/knem", "1.1.4", null, OTHER),
                module(K, "extra/flat", "1", null, OTHER),
                module(K, "updates/dkms/x", "1", null, OTHER),
                module(K, "updates/dkms/y", "2", null, K));
        assertThat(ModuleSet.of(K, fine, NodePolicy.PERMISSIVE).defects()).isEmpty();
    }
}
