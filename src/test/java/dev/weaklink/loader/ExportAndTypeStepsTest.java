package dev.weaklink.loader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.format.btf.BtfValidity;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.ElfDefect;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.Relocations;
import dev.weaklink.module.Relocations.RelocatedField;
import dev.weaklink.module.Relocations.Use;
import dev.weaklink.module.Relocations.Value;
import dev.weaklink.testing.ExportFormat;
import dev.weaklink.testing.Machine;
import dev.weaklink.testing.ModuleBuilder;
import dev.weaklink.testing.ModuleSpec.Export;
import dev.weaklink.testing.Oddities;
import dev.weaklink.testing.Records;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The loader's checks of exports, relocations, module name and BTF. */
class ExportAndTypeStepsTest {
    private static final int CRC = 7;
    private static final ExportFormat FLAGGED =
            ExportFormat.current(Machine.X86_64).withFlags();

    @Test
    void refusesAnExportThatTheKernelHas() {
        ModuleBuilder module = exporting("m", "printk");

        Judged.alone(Kernels.version("6.1").exporting("printk", CRC), module)
                .isRefused("ENOEXEC", Layer.DUPLICATE_EXPORT)
                .saying("m: exports duplicate symbol printk (owned by kernel)");
        Judged.alone(Kernels.version("6.1"), module).isCompatible();
    }

    @Test
    void namesOnlyTheFirstDuplicate() {
        ModuleBuilder module = typical("m")
                .exporting("a_gpl", Export.Table.GPL, CRC)
                .exporting("z_plain", Export.Table.NORMAL, CRC)
                .exporting("y_plain", Export.Table.NORMAL, CRC);
        Kernels kernel = Kernels.version("6.1")
                .exporting("a_gpl", CRC)
                .exporting("z_plain", CRC)
                .exportingGpl("y_plain", CRC);

        Judged.alone(kernel, module)
                .isRefused("ENOEXEC", Layer.DUPLICATE_EXPORT)
                .saying("m: exports duplicate symbol y_plain (owned by kernel)");
    }

    @Test
    void refusesAnExportOfANeededModule() {
        ModuleBuilder base = exporting("base", "shared").exporting("b", Export.Table.NORMAL, CRC);
        ModuleBuilder between = typical("between").importing("b", CRC).exporting("c", Export.Table.NORMAL, CRC);
        ModuleBuilder direct = exporting("m", "shared").importing("b", CRC);
        ModuleBuilder indirect = exporting("m", "shared").importing("c", CRC);

        Judged.alone(Kernels.version("6.1"), direct, base)
                .isRefused("ENOEXEC", Layer.DUPLICATE_EXPORT)
                .saying("m: exports duplicate symbol shared (owned by base)");
        Judged.alone(Kernels.version("6.1"), indirect, base, between).isRefused("ENOEXEC", Layer.DUPLICATE_EXPORT);
    }

    @Test
    void ignoresAnExportOfAModuleThatNeedNotBeLoaded() {
        Judged.alone(Kernels.version("6.1"), exporting("m", "shared"), exporting("other", "shared"))
                .isCompatible();
    }

    @Test
    void exportsWithoutCrcsAreAForcedLoadOrASilentRefusal() {
        ModuleBuilder module = exporting("m", "mine")
                .exportFormat(ExportFormat.current(Machine.X86_64).with(ExportFormat.Crcs.NONE));

        Judged.alone(Kernels.version("6.1"), module)
                .isRefused("ENOEXEC", Layer.EXPORT_VERSIONS)
                .silently();
        assertThat(Judged.alone(Kernels.debian(), module).refusals()).isEmpty();
        Kernels withoutCrcs = Kernels.version("6.1").rule(LoaderRule.MODVERSIONS, "no");
        Judged.alone(withoutCrcs, module).isUndetermined();
    }

    @Test
    void isUndeterminedIfTheExporterHasNoCrc() {
        ModuleBuilder exporter = exporting("exporter", "x")
                .exportFormat(ExportFormat.current(Machine.X86_64).with(ExportFormat.Crcs.NONE));

        Judged.alone(Kernels.debian(), typical("m").importing("x", 99), exporter)
                .isUndetermined();
    }

    @ParameterizedTest
    @CsvSource({
        "4, 4.15, false",
        "4, 4.16, true",
        "4, 4.4, true",
        "24, 4.18, false",
        "24, 5.0, true",
        "11, 3.10, true",
        "0, 3.10, true",
        "5, 6.12, false",
        "63, 6.12, false",
        "64, 6.12, false",
        "300, 6.12, false"
    })
    void relocationTypesOfX86(int type, String version, boolean known) {
        ModuleBuilder module = typical("m").textRelocation(type, 0);

        Judged judged = Judged.alone(Kernels.version(version), module);

        if (known) {
            judged.isCompatible();
        } else {
            judged.isRefused("ENOEXEC", Layer.RELOCATION).saying("module: m: Unknown rela relocation: " + type);
        }
    }

    @Test
    void requiresZeroBytesAtRelocationTargetsFrom415On() {
        ModuleBuilder module = typical("m").textRelocation(2, 1);

        Judged.alone(Kernels.version("4.14"), module).isCompatible();
        Judged.alone(Kernels.version("4.15"), module).isRefused("ENOEXEC", Layer.RELOCATION);
    }

    /** The check is check_export_symbol_sections, 7.1 and later. */
    @Test
    void exportsWithoutFlagsAreRefusedFrom71On() {
        Judged.alone(Kernels.version("7.0"), exporting("m", "mine")).isCompatible();
        Judged.alone(Kernels.version("7.1"), exporting("m", "mine"))
                .isRefused("ENOEXEC", Layer.EXPORT_FLAGS)
                .saying("m: no flags for exported symbols");
        Judged.alone(Kernels.version("7.1"), exporting("m", "mine").exportFormat(FLAGGED))
                .isCompatible();
    }

    /** find_module_sections, 7.1 and later: the module loads, but its exports are not found. */
    @Test
    void exportsInTheOldTableDoNotCountFrom71On() {
        ModuleBuilder old = typical("old").exporting("theirs", Export.Table.GPL, CRC);
        ModuleBuilder user = typical("user").importing("theirs", CRC);

        Judged.alone(Kernels.version("7.0"), user, old).isCompatible();
        Judged.alone(Kernels.version("7.1"), old).isCompatible();
        Judged.alone(Kernels.version("7.1"), user, old).isRefused("ENOENT", Layer.SYMBOL_MISSING);
        Judged.alone(Kernels.version("7.1"), user, old.exportFormat(FLAGGED)).isCompatible();
    }

    /** find_module_sections: 5.12 dropped __ksymtab_gpl_future, 7.1 __ksymtab_gpl. */
    @ParameterizedTest
    @CsvSource({
        "5.11, GPL_FUTURE, true",
        "5.12, GPL_FUTURE, false",
        "5.12, UNUSED, false",
        "7.0, GPL, true",
        "7.1, GPL, false",
        "7.1, GPL_FUTURE, false"
    })
    void ignoresExportsInTablesThatTheKernelDoesNotRead(String version, Export.Table table, boolean isRead) {
        Kernels kernel = Kernels.version(version).exporting("printk", CRC);
        ModuleBuilder module = typical("m").exporting("printk", table, CRC);

        Judged judged = Judged.alone(kernel, module);

        if (isRead) {
            judged.isRefused("ENOEXEC", Layer.DUPLICATE_EXPORT);
        } else {
            judged.isCompatible();
        }
    }

    @Test
    void doesNotFindAnExporterByATableThatTheKernelDoesNotRead() {
        ModuleBuilder old = typical("old").exporting("theirs", Export.Table.UNUSED, CRC);
        ModuleBuilder user = typical("user").importing("theirs", CRC);

        Judged.alone(Kernels.version("5.11"), user, old).isCompatible();
        Judged.alone(Kernels.version("5.12"), user, old).isRefused("ENOENT", Layer.SYMBOL_MISSING);
    }

    /** simplify_symbols leaves the address of such a symbol at 0. */
    @ParameterizedTest
    @CsvSource({
        "AARCH64, 275, 6.1, 0, INCOMPATIBLE, module m: overflow in relocation type 275 val 0",
        "AARCH64, 261, 6.12, 16, INCOMPATIBLE, Modules: module m: overflow in relocation type 261 val 10",
        "RISCV64, 23, 6.12, 0, UNDETERMINED, ''"
    })
    void cannotReachAWeakSymbolThatNothingExports(
            Machine machine, int type, String version, long addend, Outcome outcome, String line) {
        KernelModule module = Judged.read(ModuleBuilder.typical(machine, "m")
                        .importing("optional", true)
                        .version("optional", CRC)
                        .build())
                .with(new Relocations(
                        true, List.of(new Use(5, 0, type, RelocatedField.FREE, Value.WEAK, "optional", addend))));
        Kernels kernel = Kernels.version(version, machine);

        Judged judged = Judged.alone(kernel.build(), module, List.of());

        assertThat(judged.verdict().outcome()).isEqualTo(outcome);
        if (!line.isEmpty()) {
            judged.isRefused("ENOEXEC", Layer.RELOCATION).saying(line);
        }
        Judged.alone(kernel.exporting("optional", CRC).build(), module, List.of())
                .isCompatible();
    }

    /** check_modinfo_livepatch. */
    @ParameterizedTest
    @CsvSource({"Y", "N"})
    void refusesLivePatchesWhereTheKernelHasNone(String value) {
        ModuleBuilder module = typical("m").modInfo("livepatch=" + value);

        Judged.alone(Kernels.version("6.1"), module).isUndetermined();
        Judged.alone(Kernels.version("6.1").rule(LoaderRule.LIVEPATCH, "yes"), module)
                .isCompatible();
        Judged.alone(Kernels.version("6.1").rule(LoaderRule.LIVEPATCH, "no"), module)
                .isRefused("ENOEXEC", Layer.ELF)
                .saying("m: module is marked as livepatch module, but livepatch support is disabled");
    }

    /** Before 7.1, GPL-only exports have a table of their own; from 7.1 on, that table causes no refusal. */
    @Test
    void doesNotDependOnExportFlagsIfNothingIsRefused() {
        ModuleBuilder old = typical("old").exporting("theirs", Export.Table.GPL, CRC);
        assertThat(Judged.alone(Kernels.version("7.0"), old).verdict().assumed())
                .doesNotContain("export-flags");
        assertThat(Judged.alone(Kernels.version("7.0"), exporting("m", "mine"))
                        .verdict()
                        .assumed())
                .contains("export-flags");
    }

    @ParameterizedTest
    @CsvSource({
        "AARCH64, 264, 6.1, ''",
        "AARCH64, 281, 6.1, module m: unsupported RELA relocation: 281",
        "AARCH64, 1, 6.12, Modules: module m: unsupported RELA relocation: 1",
        "S390X, 20, 6.1, ''",
        "S390X, 60, 6.1, module m: unknown relocation: 60",
        "PPC64LE, 10, 6.1, ''",
        "PPC64LE, 0, 6.1, m: Unknown ADD relocation: 0",
        "RISCV64, 35, 6.1, ''",
        "RISCV64, 57, 6.1, m: Unknown relocation type 57",
        "RISCV64, 57, 6.8, ''",
        "RISCV64, 62, 6.12, m: Unknown relocation type 62",
        "RISCV64, 4, 6.7, m: Unknown relocation type 4",
        "RISCV64, 4, 6.8, m: Dynamic linking not supported in kernel modules PC = ADDR",
        "RISCV64, 29, 7.2, m: Thread local storage not supported in kernel modules PC = ADDR"
    })
    void relocationTypesOfOtherMachines(Machine machine, int type, String version, String line) {
        Judged judged = Judged.alone(
                Kernels.version(version, machine),
                ModuleBuilder.typical(machine, "m").textRelocation(type, 1));

        if (line.isEmpty()) {
            assertThat(judged.isCompatible().verdict().unchecked()).doesNotContain("relocation");
        } else {
            judged.isRefused(machine == Machine.RISCV64 ? "EINVAL" : "ENOEXEC", Layer.RELOCATION)
                    .saying(line);
        }
    }

    /** arch/s390/kernel/module.c: apply_rela. */
    @Test
    void refusesTypesOfSharedObjectsWithoutAMessage() {
        Judged judged = Judged.alone(
                Kernels.version("6.12", Machine.S390X),
                ModuleBuilder.typical(Machine.S390X, "m").textRelocation(10, 1));

        assertThat(judged.isRefused("ENOEXEC", Layer.RELOCATION).verdict().findings())
                .extracting(Finding::dmesg)
                .containsOnlyNulls();
    }

    @ParameterizedTest
    @CsvSource({
        "1, OVERFLOWS, m: value ADDR out of range for 32-bit field",
        "23, OVERFLOWS, m: target ADDR can not be addressed by the 32-bit offset from PC = ADDR",
        "24, NO_UPPER_HALF, m: Can not find HI20 relocation information"
    })
    void riscvHasAnErrnoOfItsOwn(int type, Value value, String line) {
        KernelModule module = Judged.read(
                        ModuleBuilder.typical(Machine.RISCV64, "m").build())
                .with(new Relocations(true, List.of(new Use(5, 0, type, RelocatedField.FREE, value))));

        Judged.alone(Kernels.version("6.1", Machine.RISCV64).build(), module, List.of())
                .isRefused("EINVAL", Layer.RELOCATION)
                .saying(line);
    }

    @ParameterizedTest
    @CsvSource({
        "0, FREE, OVERFLOWS, 6.1, INCOMPATIBLE, module: overflow in relocation type 2 val ADDR",
        "0, FREE, OVERFLOWS, 7.2, INCOMPATIBLE, module: overflow in relocation type 2 val ADDR sec 5" + " idx 0",
        "0, NOT_ZERO, OVERFLOWS, 6.12, INCOMPATIBLE, 'module: x86/modules: Invalid relocation target,"
                + " existing value is nonzero for type 2, loc ADDR, val ADDR'",
        "0, NOT_ZERO, FITS, 7.2, INCOMPATIBLE, 'module: x86/modules: Invalid relocation target,"
                + " existing value is nonzero for sec 5, idx 0, type 2, loc ADDR, val ADDR'",
        "-1, FREE, FITS, 6.1, INCOMPATIBLE, module m: REL relocation unsupported",
        "0, FREE, UNCERTAIN, 6.1, UNDETERMINED, ''",
        "0, FREE, NO_SYMBOL, 6.1, UNDETERMINED, ''",
        "0, OUTSIDE, FITS, 4.4, UNDETERMINED, ''",
        "0, USED_BEFORE, FITS, 6.1, UNDETERMINED, ''",
        "0, USED_BEFORE, FITS, 4.4, COMPATIBLE, ''"
    })
    void checksTheTargetsOfRelocations(
            int index, RelocatedField place, Value value, String version, Outcome outcome, String line) {
        KernelModule module = Judged.read(typical("m").spec())
                .with(new Relocations(true, List.of(new Use(5, index, 2, place, value))));

        Verdict verdict = Judged.alone(Kernels.version(version).build(), module, List.of())
                .verdict();

        assertThat(verdict.outcome()).isEqualTo(outcome);
        if (!line.isEmpty()) {
            assertThat(verdict.findings()).extracting(Finding::dmesg).containsExactly(line);
        }
    }

    /** A kernel may or may not have more memory than every kernel has, but never more than the maximum. */
    @ParameterizedTest
    @CsvSource({
        "6.1, MUCH_MEMORY, 1600000000, X86_64, INCOMPATIBLE, ''",
        "6.12, MUCH_MEMORY, 1600000000, X86_64, INCOMPATIBLE, execmem: unable to allocate memory",
        "6.1, MUCH_MEMORY, 1600000000, S390X, UNDETERMINED, ''",
        "6.1, MUCH_MEMORY, 300000000, X86_64, UNDETERMINED, ''",
        "6.1, MUCH_MEMORY, 5000000000, X86_64, UNDETERMINED, ''",
        "6.1, MUCH_PER_CPU_MEMORY, 40000, X86_64, INCOMPATIBLE, m: Could not allocate 40000 bytes percpu data",
        "6.1, MUCH_PER_CPU_MEMORY, 20000, X86_64, INCOMPATIBLE, m: Could not allocate 20000 bytes percpu data",
        "6.12, MUCH_PER_CPU_MEMORY, 40000, X86_64, INCOMPATIBLE, m: Could not allocate 40000 bytes percpu data",
        "6.12, MUCH_PER_CPU_MEMORY, 20000, X86_64, UNDETERMINED, ''",
        "6.1, MUCH_PER_CPU_MEMORY, 20000, AARCH64, INCOMPATIBLE, m: Could not allocate 20000 bytes percpu data",
        "6.1, MUCH_PER_CPU_MEMORY, 20000, I386, UNDETERMINED, ''",
        "6.1, MUCH_PER_CPU_MEMORY, 60000, PPC64LE, UNDETERMINED, ''",
        "6.1, MUCH_PER_CPU_MEMORY, 70000, PPC64LE, INCOMPATIBLE, m: Could not allocate 70000 bytes percpu data",
        "6.1, ODD_ALIGNMENT, 3, X86_64, UNDETERMINED, ''"
    })
    void judgesTheMemoryOfSections(
            String version, ElfDefect.ElfDefectKind kind, long first, Machine machine, Outcome outcome, String line) {
        KernelModule plain = Judged.read(ModuleBuilder.typical(machine, "m").spec());
        KernelModule module = with(plain, new ElfDefect(kind, first, 0, ".text"));

        Verdict verdict = Judged.alone(Kernels.version(version, machine).build(), module, List.of())
                .verdict();

        assertThat(verdict.outcome()).isEqualTo(outcome);
        if (outcome == Outcome.INCOMPATIBLE) {
            assertThat(verdict.errno()).isEqualTo("ENOMEM");
        }
        if (!line.isEmpty()) {
            assertThat(verdict.findings()).extracting(Finding::dmesg).containsExactly(line);
        }
    }

    /** elf_validity_cache_secstrings, 6.13 and later, also checks the name of .bss. */
    @ParameterizedTest
    @CsvSource({"6.1, UNDETERMINED", "6.12, UNDETERMINED", "6.13, INCOMPATIBLE"})
    void judgesTheNameOfASectionWithoutContents(String version, Outcome outcome) {
        KernelModule plain = Judged.read(typical("m").spec());
        ElfDefect defect = new ElfDefect(ElfDefect.ElfDefectKind.SECTION_NAME_OUTSIDE, 8, 8, "allocated");

        Verdict verdict = Judged.alone(Kernels.version(version).build(), with(plain, defect), List.of())
                .verdict();

        assertThat(verdict.outcome()).isEqualTo(outcome);
    }

    @ParameterizedTest
    @CsvSource({"X86_64", "ARM"})
    void relocationsOfLivePatchesAreUndetermined(Machine machine) {
        KernelModule plain = Judged.read(ModuleBuilder.typical(machine, "m").spec());
        ElfDefect defect =
                new ElfDefect(ElfDefect.ElfDefectKind.LIVE_PATCH_RELOCATIONS, 8, 0, ".klp.rela.vmlinux..text");

        Judged.alone(Kernels.version("6.1", machine).build(), with(plain, defect), List.of())
                .isUndetermined();
    }

    private static KernelModule with(KernelModule m, ElfDefect defect) {
        return Records.with(m, "defects", List.of(defect));
    }

    @Test
    void relocationsOfOtherMachinesAreUnchecked() {
        Judged judged = Judged.alone(Kernels.version("6.1", Machine.ARM), ModuleBuilder.typical(Machine.ARM, "m"));

        assertThat(judged.isCompatible().verdict().unchecked()).contains("relocation");
    }

    @Test
    void checksRelocationsAfterSymbols() {
        Judged.alone(Kernels.version("6.1"), typical("m").importing("none", 1).textRelocation(5, 0))
                .isRefused("ENOENT", Layer.SYMBOL_MISSING);
    }

    @Test
    void refusesTheNameOfABuiltInModule() {
        Judged.alone(Kernels.version("6.1").builtIn("m"), typical("m"))
                .isRefused("EINVAL", Layer.MODULE_NAME)
                .saying("m: module is already loaded");
        Judged.alone(Kernels.version("6.1").builtIn("m"), typical("m").structName("n"))
                .isCompatible();
    }

    /** The name is the prefix of parameters from kernel/params.c:core_param, and no list of modules contains it. */
    @Test
    void judgesAParameterPrefixThatNoListContains() {
        Judged.alone(Kernels.version("6.1").withoutImage(), typical("kernel")).isUndetermined();
        Judged.alone(Kernels.version("6.1"), typical("kernel")).isCompatible();
        Judged.alone(Kernels.version("6.1").builtIn("kernel"), typical("kernel"))
                .isRefused("EINVAL", Layer.MODULE_NAME);
    }

    /** kernel/livepatch/core.c:klp_module_coming. */
    @Test
    void judgesAModuleNamedLikeTheKernel() {
        Judged.alone(Kernels.version("6.1"), typical("vmlinux")).isUndetermined();
        Judged.alone(Kernels.version("6.1").rule(LoaderRule.LIVEPATCH, "yes"), typical("vmlinux"))
                .isRefused("EINVAL", Layer.MODULE_NAME)
                .saying("livepatch: vmlinux.ko: invalid module name");
        Judged.alone(Kernels.version("6.1").rule(LoaderRule.LIVEPATCH, "no"), typical("vmlinux"))
                .isCompatible();
        Judged.alone(Kernels.version("5.4"), typical("vmlinux")).isCompatible();
    }

    /** Stable releases of 2026 also check the section; their images show this. */
    @Test
    void judgesASymbolInAMissingSectionByTheImage() {
        KernelModule m = Judged.read(typical("m").spec());
        KernelModule lost = with(m, new ElfDefect(ElfDefect.ElfDefectKind.BAD_SYMBOL_SECTION, 40, 39, "lost"));

        Judged.alone(Kernels.version("6.1").symbolSections(true).build(), lost, List.of())
                .isRefused("ENOEXEC", Layer.ELF)
                .saying("m: Symbol lost has an invalid section index 40 (max 39)");
        Judged.alone(Kernels.version("7.2").symbolSections(false).build(), lost, List.of())
                .isUndetermined();
        Judged.alone(Kernels.version("7.2").build(), lost, List.of()).isRefused("ENOEXEC", Layer.ELF);
    }

    @Test
    void isUndeterminedAboutTheNameOfABuiltInDriver() {
        Judged.alone(Kernels.version("6.12").possiblyBuiltIn("m"), typical("m")).isUndetermined();
    }

    @Test
    void judgesAModuleWithoutAName() {
        Judged.alone(Kernels.version("6.1"), typical("").withoutModInfo("name")).isRefused("EINVAL", Layer.MODULE_NAME);
    }

    @Test
    void isUndeterminedAboutBtfOfAnotherKernelIfItMustMatch() {
        Kernels kernel = Kernels.version("6.1").rule(LoaderRule.BTF_MISMATCH, "refuse");
        ModuleBuilder here = typical("m").oddities(Oddities.NONE.andBtf());
        ModuleBuilder elsewhere =
                here.withoutModInfo("vermagic").modInfo("vermagic=6.1.0-1-test2 SMP mod_unload modversions ");

        Judged.alone(kernel, typical("m").oddities(Oddities.NONE.andBtf())).isCompatible();
        Judged.alone(kernel, elsewhere).isUndetermined();
        Judged.alone(Kernels.version("6.1"), elsewhere).isCompatible();
        Judged.alone(kernel, elsewhere.oddities(Oddities.NONE.andBtf().andBtfBase()))
                .isCompatible();
        Judged.alone(kernel, elsewhere.oddities(Oddities.NONE)).isCompatible();
    }

    private static KernelModule with(ModuleBuilder module, BtfValidity.BtfAnswer answer) {
        return Judged.read(module.spec()).with(answer);
    }

    /** btf_module_notify returns the error of btf_parse_module if mismatched BTF is refused. */
    @Test
    void refusesDamagedBtfIfMismatchesAreRefused() {
        Kernels kernel = Kernels.version("6.1").rule(LoaderRule.BTF_MISMATCH, "refuse");
        ModuleBuilder module = typical("m").oddities(Oddities.NONE.andBtf());

        Judged.alone(kernel.build(), with(module, BtfValidity.BtfAnswer.EINVAL), List.of())
                .isRefused("EINVAL", Layer.BTF)
                .saying("failed to validate module [m] BTF: -22");
        Judged.alone(kernel.build(), with(module, BtfValidity.BtfAnswer.ENOTSUPP), List.of())
                .isRefused("ENOTSUPP", Layer.BTF)
                .saying("failed to validate module [m] BTF: -524");
        Judged.alone(Kernels.version("6.1").build(), with(module, BtfValidity.BtfAnswer.EINVAL), List.of())
                .isCompatible();
    }

    /** Kernels before 6.11 do not read .BTF.base. */
    @Test
    void refusesADamagedBtfBaseOnKernelsThatReadIt() {
        ModuleBuilder builder = typical("m").oddities(Oddities.NONE.andBtf().andBtfBase());
        KernelModule module = with(builder, BtfValidity.BtfAnswer.EINVAL);

        Judged.alone(
                        Kernels.version("6.1")
                                .rule(LoaderRule.BTF_MISMATCH, "refuse")
                                .build(),
                        module,
                        List.of())
                .isCompatible();
        Judged.alone(
                        Kernels.version("6.12")
                                .rule(LoaderRule.BTF_MISMATCH, "refuse")
                                .build(),
                        module,
                        List.of())
                .isRefused("EINVAL", Layer.BTF);
    }

    @Test
    void leavesUnreadBtfUnchecked() {
        Kernels kernel = Kernels.version("6.1").rule(LoaderRule.BTF_MISMATCH, "refuse");
        ModuleBuilder module = typical("m").oddities(Oddities.NONE.andBtf());

        assertThat(Judged.alone(kernel, module).verdict().unchecked()).containsExactly("btf");
        assertThat(Judged.alone(Kernels.version("6.1"), module).verdict().unchecked())
                .isEmpty();
    }

    @Test
    void namesAnAssumedRuleThatDecides() {
        Kernels kernel = Kernels.version("6.1")
                .rule(LoaderRule.SIGNATURE_POLICY, "permissive")
                .exporting("printk", CRC);

        assertThat(Judged.alone(kernel, typical("m").importing("printk", false))
                        .isUndetermined()
                        .verdict()
                        .assumed())
                .containsExactly("missing-version");
        assertThat(Judged.alone(kernel, typical("m").importing("printk", CRC))
                        .isCompatible()
                        .verdict()
                        .assumed())
                .isEmpty();
    }

    private static ModuleBuilder typical(String name) {
        return ModuleBuilder.typical(Machine.X86_64, name);
    }

    private static ModuleBuilder exporting(String name, String symbol) {
        return typical(name).exporting(symbol, Export.Table.NORMAL, CRC);
    }
}
