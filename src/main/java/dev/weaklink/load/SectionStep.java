package dev.weaklink.load;

import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.kernel.KernelVersion;
import dev.weaklink.module.ElfDefect;

/**
 * The memory a module's sections need (kernel/module/main.c: module_enforce_rwx_sections,
 * layout_and_allocate, percpu_modalloc). Only the first objection counts.
 */
final class SectionStep {
  /** arch/x86/include/asm/pgtable_64_types.h: MODULES_LEN without KASLR. */
  private static final long MODULE_SPACE = 1520L << 20;

  /** The loader adds in an unsigned int, so that more may be little again. */
  private static final long COUNTED = 1L << 32;

  /** mm/percpu.c: PCPU_MIN_UNIT_SIZE, the most that is given out at once. */
  private static final long PER_CPU_UNIT = 32 << 10;

  private SectionStep() {}

  static void apply(Judgement j) {
    for (ElfDefect defect : j.module().defects()) {
      if (j.refused()) {
        return;
      }
      switch (defect.kind()) {
        case WRITABLE_AND_EXECUTABLE -> writableAndExecutable(j, defect);
        case MUCH_MEMORY -> memory(j, defect.first());
        case MUCH_PER_CPU_MEMORY -> perCpu(j, defect.first());
        case ODD_ALIGNMENT ->
            j.unproven(
                Layer.ELF,
                null,
                "the alignment of section " + defect.text() + " makes sections overlap: damaged?");
        default -> {
          // looked at in other steps
        }
      }
    }
  }

  /** No section may be both: 5.8+, with a line from 5.9 on. */
  private static void writableAndExecutable(Judgement j, ElfDefect defect) {
    KernelVersion version = j.rules().version();
    if (!version.atLeast(5, 8)) {
      return;
    }
    j.refuse(
        Layer.ELF,
        Errno.ENOEXEC,
        version.atLeast(5, 9)
            ? j.module().name()
                + ": section "
                + defect.text()
                + " (index "
                + defect.first()
                + ") has invalid WRITE|EXEC flags"
            : null,
        "a section is both writable and executable");
  }

  private static void memory(Judgement j, long bytes) {
    ElfIdentity machine = j.target().machine();
    boolean x86 = machine != null && machine.machine() == ElfIdentity.EM_X86_64;
    String detail = "its sections take " + (bytes >> 20) + " MiB";
    if (x86 && bytes > MODULE_SPACE && bytes < COUNTED) {
      j.refuse(Layer.ELF, Errno.ENOMEM, null, detail + ": more than there is room for modules");
    } else {
      j.unproven(Layer.ELF, null, detail + ": there may be no room for it");
    }
  }

  private static void perCpu(Judgement j, long bytes) {
    String detail = bytes + " bytes of per-CPU variables";
    if (bytes > PER_CPU_UNIT) {
      j.refuse(
          Layer.ELF,
          Errno.ENOMEM,
          j.module().name() + ": Could not allocate " + bytes + " bytes percpu data",
          detail + ": more than a kernel gives out");
    } else {
      j.unproven(Layer.ELF, null, detail + ": the kernel may not have that many for modules");
    }
  }
}
