package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Presence;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The checks of same_magic and check_modinfo. */
class VermagicStepTest {
    private static final String TAIL = " SMP mod_unload modversions ";

    @Test
    void ignoresTheReleaseIfThereAreVersions() {
        judge("9.9.9-other" + TAIL).isCompatible();
        judge(TAIL).isCompatible();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "6.1.0-1-test SMP mod_unload modversions",
                "6.1.0-1-test SMP mod_unload modversions  ",
                "6.1.0-1-test SMP preempt mod_unload modversions ",
                "6.1.0-1-test  SMP mod_unload modversions ",
                "6.1.0-1-test SMP mod_unload modversions aarch64",
                "6.1.0-1-test",
                ""
            })
    void comparesEverythingElseByteForByte(String vermagic) {
        judge(vermagic)
                .isRefused("ENOEXEC", Layer.VERMAGIC)
                .saying("m: version magic '" + vermagic + "' should be '" + Kernels.VERMAGIC + "'");
    }

    @Test
    void comparesTheReleaseWithoutVersions() {
        Kernels kernel = Kernels.version("6.1").rule(LoaderRule.FORCE_LOAD, "yes");
        ModuleBuilder module = typical().versions(Presence.ABSENT);

        assertThat(Judged.alone(kernel, module).refusals()).isEmpty();
        assertThat(Judged.alone(kernel, other(module)).isRefused("ENOEXEC").refusals())
                .extracting(Finding::layer)
                .containsExactly(Layer.VERMAGIC);
    }

    @Test
    void versionsThatAreNotLoadedDoNotCount() {
        Kernels kernel = Kernels.version("6.1").rule(LoaderRule.FORCE_LOAD, "yes");

        Judged.alone(kernel, other(typical().versions(Presence.NOT_ALLOCATED))).isRefused("ENOEXEC", Layer.VERMAGIC);
    }

    @Test
    void extendedVersionsAloneDoNotCount() {
        Kernels kernel = Kernels.version("6.14");
        ModuleBuilder module = typical()
                .versions(Presence.ABSENT)
                .extendedVersions(List.of(Kernels.LAYOUT_CRC), List.of("module_layout"));

        Judged.alone(kernel, module).isCompatible();
        Judged.alone(kernel, other(module)).isRefused("ENOEXEC", Layer.VERMAGIC);
    }

    @Test
    void comparesTheReleaseOnAKernelWithoutModversions() {
        Kernels kernel = Kernels.version("6.1").rule(LoaderRule.MODVERSIONS, "no");

        Judged.alone(kernel, typical()).isUndetermined();
        Judged.alone(kernel, other(typical())).isRefused("ENOEXEC", Layer.VERMAGIC);
    }

    @Test
    void usesTheFirstVermagic() {
        Judged.alone(Kernels.version("6.1"), typical().modInfo("vermagic=wrong"))
                .isCompatible();
    }

    @Test
    void refusesOrForcesAModuleWithoutVermagic() {
        ModuleBuilder module = typical().withoutModInfo("vermagic");

        Judged.alone(Kernels.debian(), module).isCompatible().noting("m: bad vermagic: kernel tainted.");
        Judged.alone(Kernels.version("6.1"), module)
                .isRefused("ENOEXEC", Layer.VERMAGIC)
                .silently();
    }

    @Test
    void ignoresModinfoThatIsNotLoadedUpTo63() {
        ModuleBuilder module = typical().modInfo(Presence.NOT_ALLOCATED);

        Judged.alone(Kernels.version("6.3"), module)
                .isRefused("ENOEXEC", Layer.VERMAGIC)
                .silently();
        Judged.alone(Kernels.version("6.4"), module).isCompatible();
    }

    @Test
    void strippedModulesOfOpenWrtAreNotCompared() {
        Kernels kernel = Kernels.version("6.6").rule(LoaderRule.VERMAGIC, "no");

        Judged.alone(kernel, typical().withoutModInfo("vermagic")).isCompatible();
        Judged.alone(kernel, other(typical())).isCompatible();
    }

    @Test
    void leavesVermagicUncheckedIfTheKernelsIsUnknown() {
        Judged judged = Judged.alone(Kernels.version("6.1").vermagic(null), other(typical()));

        assertThat(judged.isCompatible().verdict().unchecked()).contains("vermagic");
    }

    /** check_modinfo prints info->name from 4.14 on, which prefers name= to struct module. */
    @Test
    void usesTheNameOfModinfoInTheMessageFrom414On() {
        ModuleBuilder module = typical()
                .withoutModInfo("name")
                .modInfo("name=told")
                .withoutModInfo("vermagic")
                .modInfo("vermagic=x");

        assertThat(judgeOn("4.12", module).refusals().get(0).dmesg()).startsWith("m: version magic");
        assertThat(judgeOn("4.14", module).refusals().get(0).dmesg()).startsWith("told: version magic");
    }

    private static ModuleBuilder typical() {
        return ModuleBuilder.typical(Machine.X86_64, "m");
    }

    /** Returns the module, built for another release with the same options. */
    private static ModuleBuilder other(ModuleBuilder module) {
        return module.withoutModInfo("vermagic").modInfo("vermagic=6.1.0-2-test" + TAIL);
    }

    private static Judged judge(String vermagic) {
        return Judged.alone(
                Kernels.version("6.1"), typical().withoutModInfo("vermagic").modInfo("vermagic=" + vermagic));
    }

    private static Judged judgeOn(String version, ModuleBuilder module) {
        return Judged.alone(Kernels.version(version), module).isRefused("ENOEXEC");
    }
}
