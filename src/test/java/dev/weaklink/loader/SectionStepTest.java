package dev.weaklink.loader;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.Oddities;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sections that the loader searches for by name, and duplicate sections. */
class SectionStepTest {
    private static final String TRAMPOLINE = ".text.ftrace_trampoline";

    @ParameterizedTest
    @CsvSource({
        "AARCH64, 6.5, .plt, m: module PLT section(s) missing",
        "AARCH64, 6.12, .init.plt, m: module PLT section(s) missing",
        "PPC64LE, 6.1, .stubs, module_64: m: doesn't contain .stubs.",
        "LOONGARCH64, 6.12, .got, m: module GOT section(s) missing",
        "LOONGARCH64, 6.12, .plt, m: module PLT section(s) missing",
        "LOONGARCH64, 7.2, .plt.idx, m: module PLT.IDX section(s) missing"
    })
    void refusesAMissingRequiredSection(Machine machine, String version, String section, String line) {
        Judged.alone(Kernels.version(version, machine), without(machine, section))
                .isRefused("ENOEXEC", Layer.ELF)
                .saying(line);
    }

    /** CONFIG_ARM64_MODULE_PLTS is optional up to 6.4, and riscv's CONFIG_MODULE_SECTIONS in all versions. */
    @ParameterizedTest
    @CsvSource({"AARCH64, 6.4, .plt", "RISCV64, 7.2, .got", "RISCV64, 6.12, .got.plt"})
    void isUndeterminedIfOnlySomeKernelsRequireTheSection(Machine machine, String version, String section) {
        Judged.alone(Kernels.version(version, machine), without(machine, section))
                .isUndetermined();
    }

    @Test
    void requiresNoSuchSectionOnOtherMachines() {
        Judged.alone(Kernels.version("6.12", Machine.S390X), without(Machine.S390X, ".plt"))
                .isCompatible();
    }

    @ParameterizedTest
    @CsvSource({
        "none, .text.ftrace_trampoline, false",
        "core, .text.ftrace_trampoline, true",
        "core, .init.text.ftrace_trampoline, false",
        "init, .text.ftrace_trampoline, true",
        "init, .init.text.ftrace_trampoline, true"
    })
    void refusesAMissingTrampolineWithoutAMessage(String looksFor, String section, boolean refused) {
        Kernels kernel = Kernels.version("6.12", Machine.AARCH64).rule(LoaderRule.TRAMPOLINES, looksFor);
        Judged judged = Judged.alone(kernel, without(Machine.AARCH64, section));

        if (refused) {
            judged.isRefused("ENOEXEC", Layer.ELF).silently();
        } else {
            judged.isCompatible();
        }
    }

    @ParameterizedTest
    @CsvSource({"4.15, true", "4.16, false", "6.12, false"})
    void doesNotDeriveFunctionTracingFromTheVersion(String version, boolean compatible) {
        Judged judged = Judged.alone(Kernels.version(version, Machine.AARCH64), without(Machine.AARCH64, TRAMPOLINE));

        if (compatible) {
            judged.isCompatible();
        } else {
            judged.isUndetermined();
        }
    }

    /** The source is the commit "arm64: ftrace: fix unreachable PLT for ftrace_caller in init_module". */
    @ParameterizedTest
    @CsvSource({"6.17, true", "6.18, false"})
    void isUndeterminedWithoutTheTrampolineOfInitCodeFrom618On(String version, boolean compatible) {
        ModuleBuilder module = without(Machine.AARCH64, ".init" + TRAMPOLINE);
        Judged judged = Judged.alone(Kernels.version(version, Machine.AARCH64), module);

        if (compatible) {
            judged.isCompatible();
        } else {
            judged.isUndetermined();
        }
    }

    @Test
    void judgesTwoSectionsWithOneName() {
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m").oddities(Oddities.NONE.andSection(".text"));

        Judged.alone(Kernels.version("6.11"), module).isCompatible();
        Judged.alone(Kernels.version("6.12"), module).isUndetermined();
        Judged.alone(Kernels.version("6.12").rule(LoaderRule.EQUAL_SECTIONS, "refuse"), module)
                .isRefused("EEXIST", Layer.ELF)
                .saying("sysfs: cannot create duplicate filename '/module/m/sections/.text'");
        Judged.alone(Kernels.version("6.12").rule(LoaderRule.EQUAL_SECTIONS, "accept"), module)
                .isCompatible();
    }

    @Test
    void judgesTwoSectionsWithoutAName() {
        Oddities unnamed = Oddities.NONE.andSection("").andSection("");
        ModuleBuilder module = ModuleBuilder.typical(Machine.X86_64, "m").oddities(unnamed);

        Judged.alone(Kernels.version("6.12").rule(LoaderRule.EQUAL_SECTIONS, "refuse"), module)
                .isRefused("EEXIST", Layer.ELF)
                .saying("sysfs: cannot create duplicate filename '/module/m/sections/'");
    }

    private static ModuleBuilder without(Machine machine, String section) {
        return ModuleBuilder.typical(machine, "m").oddities(Oddities.NONE.andMissing(section));
    }
}
