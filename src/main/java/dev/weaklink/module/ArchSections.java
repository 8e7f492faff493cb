package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.module.ElfDefect.Kind;
import java.util.List;

/**
 * Sections that the loader of a machine looks for by name, mostly to make room in them
 * (arch/.../kernel/module-plts.c, module-sections.c, module_64.c: module_frob_arch_sections;
 * arch/arm64/kernel/module.c: module_init_ftrace_plt). A kernel's build gives them to every module
 * (arch/.../include/asm/module.lds.h).
 */
final class ArchSections {
  private static final String TRAMPOLINE = ".text.ftrace_trampoline";
  private static final String INIT_TRAMPOLINE = ".init" + TRAMPOLINE;

  private final NamedSections named;
  private final int machine;

  ArchSections(ElfImage image, NamedSections named) {
    this.named = named;
    machine = image.identity().machine();
  }

  /** Whether the loader gives the section flags of its own before it looks at them. */
  boolean isRewritten(String section) {
    return switch (machine) {
      case ElfIdentity.EM_ARM -> wanted().contains(section);
      case ElfIdentity.EM_AARCH64 -> wanted().contains(section) || section.endsWith(TRAMPOLINE);
      case ElfIdentity.EM_RISCV -> wanted().contains(section);
      case ElfIdentity.EM_LOONGARCH ->
          wanted().contains(section) || section.equals(".ftrace_trampoline");
      default -> false;
    };
  }

  /** Those without which the loader refuses a module, in the order in which it misses them. */
  private List<String> wanted() {
    return switch (machine) {
      case ElfIdentity.EM_ARM, ElfIdentity.EM_AARCH64 -> List.of(".plt", ".init.plt");
      case ElfIdentity.EM_RISCV -> List.of(".plt", ".got", ".got.plt");
      case ElfIdentity.EM_LOONGARCH -> List.of(".got", ".plt", ".plt.idx");
      case ElfIdentity.EM_PPC64 -> List.of(".stubs");
      default -> List.of();
    };
  }

  /** Whether kernels of the machine can be built without looking for them. */
  private boolean areOptional() {
    return switch (machine) {
      case ElfIdentity.EM_ARM, ElfIdentity.EM_AARCH64, ElfIdentity.EM_RISCV -> true;
      default -> false;
    };
  }

  /** Notes which are missing. */
  void check(ElfValidity validity) {
    List<String> wanted = wanted();
    boolean none = true;
    String missing = null;
    for (String name : wanted) {
      boolean found = has(name);
      none &= !found;
      missing = missing == null && !found ? name : missing;
    }
    if (missing != null && !(none && areOptional())) {
      validity.add(new ElfDefect(Kind.ARCH_SECTION_MISSING, 0, 0, missing));
    }
    if (machine == ElfIdentity.EM_AARCH64 && !none) {
      if (!has(TRAMPOLINE)) {
        validity.add(new ElfDefect(Kind.TRAMPOLINE_MISSING, 0, 0, TRAMPOLINE));
      } else if (!has(INIT_TRAMPOLINE)) {
        validity.add(new ElfDefect(Kind.TRAMPOLINE_MISSING, 1, 0, INIT_TRAMPOLINE));
      }
    }
  }

  private boolean has(String name) {
    return named.find(NamedSections.wanted(name)) > 0;
  }
}
