package dev.weaklink.rebuild.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.system.DkmsTree;
import dev.weaklink.system.DkmsTree.DkmsBuild;
import dev.weaklink.system.DkmsTree.DkmsBuild.DkmsState;
import dev.weaklink.system.DkmsTree.DkmsPackage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeptInstallationTest {
    private static final String KERNEL = "6.12.1-amd64";

    @Test
    void installsOnlyTriedPackagesThatDkmsWouldBuild() {
        DkmsTree tree = new DkmsTree(
                List.of(
                        dkms("built", "1.0", true),
                        dkms("failed", "1.0", true),
                        dkms("good", "1.0", true),
                        dkms("good", "2.0", true),
                        dkms("installed", "1.0", true),
                        dkms("manual", "1.0", false),
                        dkms("other", "1.0", true),
                        dkms("untried", "1.0", true)),
                List.of(
                        build("built", KERNEL, DkmsState.BUILT),
                        build("installed", KERNEL, DkmsState.INSTALLED),
                        build("good", "6.1.0-1-amd64", DkmsState.INSTALLED)));
        List<Trial> trials = List.of(
                trial("built/1.0", KERNEL, TrialResult.LOADS),
                trial("failed/1.0", KERNEL, TrialResult.DOES_NOT_COMPILE),
                trial("good/1.0", KERNEL, TrialResult.LOADS),
                trial("good/2.0", KERNEL, TrialResult.LOADS),
                trial("installed/1.0", KERNEL, TrialResult.LOADS),
                trial("manual/1.0", KERNEL, TrialResult.LOADS),
                trial("other/1.0", "6.1.0-1-amd64", TrialResult.LOADS));

        assertThat(KeptInstallation.tried(tree, trials, KERNEL)).containsExactly("good/2.0");
    }

    @Test
    void neverCompilesIfKeptModulesCannotBeUsed() {
        Step compiling = new Step("building", List.of("dkms", "build"), Map.of(), null, "a/1", List.of(), null);
        Step taking = compiling.trying("taking", List.of("--directive", "MAKE=true"));

        List<Step> steps = KeptInstallation.taking(List.of(compiling, taking));

        assertThat(steps).singleElement().satisfies(step -> {
            assertThat(step.words()).isEqualTo(taking.words());
            assertThat(step.subject()).isEqualTo("a/1");
            assertThat(step.instead()).isNull();
        });
    }

    private static DkmsPackage dkms(String name, String version, boolean autoinstall) {
        return new DkmsPackage(name, version, autoinstall, List.of(), List.of(name));
    }

    private static DkmsBuild build(String name, String kernel, DkmsState state) {
        return new DkmsBuild(name, "1.0", kernel, state, "", List.of(name));
    }

    private static Trial trial(String label, String kernel, TrialResult result) {
        return new Trial(label, kernel, result, "", "", List.of(), "2026-11-27T00:00:00Z", "1", "", "2");
    }
}
