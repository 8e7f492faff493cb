package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Presence;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The section of struct module and its size. */
class StructModuleStepTest {
    @ParameterizedTest
    @CsvSource({
        "3.10, No module found in object",
        "4.12, No module found in object",
        "4.14, m: No module found in object",
        "6.3, m: No module found in object",
        "6.4, module m: Only one .gnu.linkonce.this_module section must exist.",
        "6.13, module m: Exactly one .gnu.linkonce.this_module section must exist."
    })
    void judgesAMissingStructModule(String version, String line) {
        judge(version, builder().thisModule(Presence.ABSENT))
                .isRefused("ENOEXEC", Layer.STRUCT_MODULE)
                .saying(line);
    }

    @ParameterizedTest
    @CsvSource({
        "6.4, module m: Only one .gnu.linkonce.this_module section must exist.",
        "6.13, module m: Exactly one .gnu.linkonce.this_module section must exist."
    })
    void severalStructModules(String version, String line) {
        judge(version, builder().thisModule(Presence.TWICE))
                .isRefused("ENOEXEC", Layer.STRUCT_MODULE)
                .saying(line);
    }

    @Test
    void usesTheFirstOfSeveralStructModulesUpTo63() {
        judge("6.3", builder().thisModule(Presence.TWICE)).isCompatible();
    }

    @ParameterizedTest
    @CsvSource({
        "6.3, m: No module found in object",
        "6.4, module m: .gnu.linkonce.this_module must occupy memory during process execution"
    })
    void judgesAStructModuleThatIsNotLoaded(String version, String line) {
        judge(version, builder().thisModule(Presence.NOT_ALLOCATED))
                .isRefused("ENOEXEC", Layer.STRUCT_MODULE)
                .saying(line);
    }

    @Test
    void judgesAStructModuleWithoutContents() {
        judge("6.4", builder().thisModule(Presence.NOBITS))
                .isRefused("ENOEXEC", Layer.STRUCT_MODULE)
                .saying("module m: .gnu.linkonce.this_module section must have a size set");
    }

    @Test
    void requiresTheKernelsSizeOfStructModuleFrom64On() {
        ModuleBuilder module = builder().structSize(0x400);

        judge("6.3", module).isCompatible();
        judge("6.4", module)
                .isRefused("ENOEXEC", Layer.STRUCT_MODULE)
                .saying("module m: .gnu.linkonce.this_module section size must match the kernel's built struct"
                        + " module size at run time");
    }

    @Test
    void checksTheSizeOfStructModuleBeforeCrcAndVermagic() {
        ModuleBuilder module = builder()
                .structSize(0x400)
                .changedVersion("module_layout", 1)
                .withoutModInfo("vermagic")
                .modInfo("vermagic=other");

        judge("6.4", module).isRefused("ENOEXEC", Layer.STRUCT_MODULE);
        judge("6.3", module).isRefused("ENOEXEC", Layer.MODULE_LAYOUT);
    }

    @Test
    void leavesStructModuleUncheckedWithoutAKnownSize() {
        Kernels kernel = Kernels.version("6.4").structModuleSize(-1);

        Judged judged = Judged.alone(kernel, builder().structSize(0x400)).isCompatible();

        assertThat(judged.verdict().unchecked()).contains("struct-module");
    }

    @Test
    void isUndeterminedAboutAByteThatNoBuildSets() {
        byte[] module = builder().build();
        module[startOfName(module) + 56] = 1;

        judge("6.12", module).isUndetermined();
        module[startOfName(module) + 56] = 0;
        judge("6.1", module).isCompatible();
    }

    /** Booted kernels of 6.1 and 7.3 crashed on such a name. */
    @Test
    void isUndeterminedAboutANameWithoutAnEnd() {
        byte[] module = builder().build();
        Arrays.fill(module, startOfName(module), startOfName(module) + 56, (byte) 'm');

        judge("6.1", module).isUndetermined();
        judge("6.12", module).isUndetermined();
    }

    /**
     * Returns the offset of the name in struct module. The file contains the name twice: after name= in .modinfo, and
     * in struct module, followed by zeros.
     */
    private static int startOfName(byte[] module) {
        int at = 0;
        while (!Arrays.equals(module, at, at + 4, new byte[] {0, 0, 'm', 0}, 0, 4)) {
            at++;
        }
        return at + 2;
    }

    private static ModuleBuilder builder() {
        return ModuleBuilder.typical(Machine.X86_64, "m");
    }

    private static Judged judge(String version, ModuleBuilder module) {
        return judge(version, module.build());
    }

    private static Judged judge(String version, byte[] module) {
        return Judged.alone(Kernels.version(version).build(), Judged.read(module), List.of());
    }
}
