package dev.weaklink.loader;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.module.ElfDefect;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The checks of a module's sections: their layout in memory (kernel/module/main.c: module_frob_arch_sections,
 * module_enforce_rwx_sections, layout_and_allocate, percpu_modalloc), and later ftrace's trampolines and the section
 * names. The checks end at the first refusal.
 */
final class SectionStep {
    /**
     * The size of the address space for modules: MODULES_LEN without KASLR (arch/x86/include/asm/pgtable_64_types.h).
     */
    private static final long MODULE_SPACE = 1520L << 20;

    /**
     * The first value beyond the loader's unsigned int. Sums of section sizes from this value on wrap around to small
     * numbers.
     */
    private static final long UINT_LIMIT = 1L << 32;

    /**
     * The maximum size of a per-CPU allocation on x86: PCPU_MIN_UNIT_SIZE (include/linux/percpu.h). On other machines,
     * the kernel may round this size up to a page of 64 KiB.
     */
    private static final long PER_CPU_UNIT = 32 << 10;

    private static final long PER_CPU_UNIT_OF_LARGE_PAGES = 64 << 10;

    private SectionStep() {}

    static void apply(VerdictBuilder j) {
        for (ElfDefect defect : j.module().defects()) {
            if (j.refused()) {
                return;
            }
            switch (defect.kind()) {
                case ARCH_SECTION_MISSING -> archSection(j, defect.text());
                case WRITABLE_AND_EXECUTABLE -> writableAndExecutable(j, defect);
                case MUCH_MEMORY -> memory(j, defect.first());
                case MUCH_PER_CPU_MEMORY -> perCpu(j, defect.first());
                case ODD_ALIGNMENT ->
                    j.unproven(
                            FindingKind.ELF_ALIGNMENT,
                            null,
                            "section " + defect.text() + ": " + FindingKind.ELF_ALIGNMENT.meaning());
                default -> {
                    // other steps check the other kinds of defects
                }
            }
        }
    }

    /**
     * Handles a missing section that the machine's loader needs. On arm, riscv, arm64 before 6.5 and unknown machines,
     * only some kernels need the section, so that the verdict is undetermined. All other kernels refuse the module.
     */
    private static void archSection(VerdictBuilder j, String section) {
        ElfIdentity machine = j.target().machine();
        FindingKind kind = FindingKind.ELF_ARCH_SECTION;
        String detail = kind.meaning() + ": " + section;
        boolean certain = machine != null
                && switch (machine.machine()) {
                    case ElfIdentity.EM_ARM, ElfIdentity.EM_RISCV -> false;
                    case ElfIdentity.EM_AARCH64 -> j.rules().version().atLeast(6, 5);
                    default -> true;
                };
        if (certain) {
            j.refuse(kind, archSectionLine(j.module().name(), section), detail);
        } else {
            j.unproven(kind, null, detail);
        }
    }

    private static String archSectionLine(String module, String section) {
        return switch (section) {
            case ".stubs" -> "module_64: " + module + ": doesn't contain .stubs.";
            case ".init.plt" -> module + ": module PLT section(s) missing";
            default -> module + ": module " + section.substring(1).toUpperCase(Locale.ROOT) + " section(s) missing";
        };
    }

    /** Checks trampoline sections, which the kernel searches for after relocation (module_finalize). */
    static void trampolines(VerdictBuilder j) {
        for (ElfDefect defect : j.module().defects()) {
            String which = defect.first() == 0 ? "core" : "init";
            if (defect.kind() == ElfDefect.ElfDefectKind.TRAMPOLINE_MISSING
                    && j.rules().atLeast(LoaderRule.TRAMPOLINES, which)) {
                refuseIfSeen(j, FindingKind.ELF_TRAMPOLINE, LoaderRule.TRAMPOLINES, null, defect.text());
            }
        }
    }

    /** Checks duplicate section names (mod_sysfs_setup). */
    static void names(VerdictBuilder j) {
        for (ElfDefect defect : j.module().defects()) {
            if (defect.kind() == ElfDefect.ElfDefectKind.SECTION_NAME_TWICE
                    && j.rules().is(LoaderRule.EQUAL_SECTIONS, "refuse")) {
                String file = "/module/" + j.module().name() + "/sections/" + defect.text();
                String line = "sysfs: cannot create duplicate filename '" + file + "'";
                refuseIfSeen(j, FindingKind.ELF_SECTION_TWICE, LoaderRule.EQUAL_SECTIONS, line, defect.text());
            }
        }
    }

    /**
     * Refuses the module if the kernel's rule is known. If the rule is only assumed, the result is undetermined,
     * because kernels of one version differ.
     */
    private static void refuseIfSeen(
            VerdictBuilder j, FindingKind kind, LoaderRule rule, @Nullable String line, String section) {
        String detail = kind.meaning() + ": " + section;
        if (j.rules().setting(rule).assumed()) {
            j.unproven(kind, null, detail);
        } else {
            j.refuse(kind, line, detail);
        }
    }

    private static void writableAndExecutable(VerdictBuilder j, ElfDefect defect) {
        if (j.rules().is(LoaderRule.WRITABLE_CODE, "accept")) {
            return;
        }
        j.refuse(
                FindingKind.ELF_WRITABLE_EXECUTABLE,
                j.rules().version().atLeast(5, 9)
                        ? j.module().name()
                                + ": section "
                                + defect.text()
                                + " (index "
                                + defect.first()
                                + ") has invalid WRITE|EXEC flags"
                        : null);
    }

    private static void memory(VerdictBuilder j, long bytes) {
        ElfIdentity machine = j.target().machine();
        boolean x86 = machine != null && machine.machine() == ElfIdentity.EM_X86_64;
        String detail = "its sections take " + (bytes >> 20) + " MiB";
        if (x86 && bytes > MODULE_SPACE && bytes < UINT_LIMIT) {
            String line = j.rules().version().atLeast(6, 12) ? "execmem: unable to allocate memory" : null;
            j.refuse(FindingKind.ELF_MEMORY, line, detail + ": more than the kernel's memory for modules");
        } else {
            j.unproven(FindingKind.ELF_MEMORY, null, detail + ": the kernel may not have that much memory for modules");
        }
    }

    private static void perCpu(VerdictBuilder j, long bytes) {
        String detail = bytes + " bytes of per-CPU variables";
        ElfIdentity elf = j.module().elf();
        int machine = elf == null ? 0 : elf.machine();
        boolean small = machine == ElfIdentity.EM_X86_64 || machine == ElfIdentity.EM_386;
        boolean eight = hasReserve(machine)
                && j.rules().is(LoaderRule.PER_CPU_RESERVE, "8k")
                && !j.rules().setting(LoaderRule.PER_CPU_RESERVE).assumed();
        if (eight || bytes > (small ? PER_CPU_UNIT : PER_CPU_UNIT_OF_LARGE_PAGES)) {
            j.refuse(
                    FindingKind.ELF_PER_CPU,
                    j.module().name() + ": Could not allocate " + bytes + " bytes percpu data",
                    detail + ": more than the kernel has for modules");
        } else {
            j.unproven(FindingKind.ELF_PER_CPU, null, detail + ": the kernel may not have that many for modules");
        }
    }

    /**
     * Returns whether the kernel reserves per-CPU space for modules (setup_per_cpu_areas); false if the machine is
     * unknown. Kernels of i386 and ppc64 reserve none (arch/x86/kernel/setup_percpu.c, arch/powerpc/kernel/setup_64.c).
     */
    private static boolean hasReserve(int machine) {
        return machine != 0 && machine != ElfIdentity.EM_386 && machine != ElfIdentity.EM_PPC64;
    }
}
