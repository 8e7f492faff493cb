package dev.weaklink.module;

import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.elf.ElfImage;
import dev.weaklink.elf.SectionTable;
import dev.weaklink.module.ElfDefect.Kind;

/**
 * The sections of a module that the loader copies to where they stay (kernel/module/main.c:
 * layout_and_allocate, percpu_modalloc, module_enforce_rwx_sections).
 */
final class LoadedSections {
  private static final byte[] MODINFO = NamedSections.wanted(".modinfo");
  private static final byte[] VERSIONS = NamedSections.wanted("__versions");
  private static final byte[] PER_CPU = NamedSections.wanted(".data..percpu");
  private static final long UNSIGNED_INT = 0xffffffffL;

  /** Less than a kernel could have trouble to find room for. */
  private static final long MODEST = 256L << 20;

  /** Less than what modules share (PERCPU_MODULE_RESERVE). */
  private static final long MODEST_PER_CPU = 8 << 10;

  private static final long LARGEST_ALIGNMENT = 1 << 20;

  private final ElfImage image;
  private final SectionTable sections;
  private final NamedSections named;
  private final int modInfo;
  private final int versions;
  private final int perCpu;

  LoadedSections(ElfImage image) {
    this.image = image;
    sections = image.sections();
    named = new NamedSections(image);
    modInfo = named.findAllocated(MODINFO);
    versions = named.findAllocated(VERSIONS);
    perCpu = named.findAllocated(PER_CPU);
  }

  /** Number of sections in the file. */
  int count() {
    return sections.count();
  }

  /** Whether a section stays in memory; those of which the loader takes the flag do not. */
  boolean isLoaded(int section) {
    return sections.isAllocated(section)
        && section != modInfo
        && section != versions
        && section != perCpu;
  }

  /** Whether it holds the per-CPU variables, which have addresses of their own. */
  boolean isPerCpu(int section) {
    return section == perCpu;
  }

  /** Whether it starts at an even address. */
  boolean isAligned(int section) {
    return (sections.alignment(section) & 1) == 0 && sections.alignment(section) != 0;
  }

  /** Notes what the loader would object to. */
  void check(ElfValidity validity) {
    checkFlags(validity);
    long memory = 0;
    for (int i = 0; i < sections.count(); i++) {
      boolean filled = sections.type(i) != SectionTable.SHT_NOBITS;
      if (isLoaded(i) && (!filled || image.hasContents(i))) {
        // the loader counts in an unsigned int
        memory += sections.size(i) & UNSIGNED_INT;
        checkAlignment(i, validity);
      }
    }
    if (memory > MODEST) {
      validity.add(ElfDefect.of(Kind.MUCH_MEMORY, memory, 0));
    }
    if (perCpu > 0 && sections.size(perCpu) > MODEST_PER_CPU) {
      validity.add(ElfDefect.of(Kind.MUCH_PER_CPU_MEMORY, sections.size(perCpu), 0));
    }
  }

  private void checkAlignment(int section, ElfValidity validity) {
    long alignment = sections.alignment(section);
    if (alignment < 0 || alignment > LARGEST_ALIGNMENT || Long.bitCount(alignment) > 1) {
      validity.add(new ElfDefect(Kind.ODD_ALIGNMENT, section, alignment, named.name(section)));
    }
  }

  private void checkFlags(ElfValidity validity) {
    long both = SectionTable.SHF_WRITE | SectionTable.SHF_EXECINSTR;
    for (int i = 0; i < sections.count(); i++) {
      if ((sections.flags(i) & both) == both && !isRewritten(named.name(i))) {
        validity.add(new ElfDefect(Kind.WRITABLE_AND_EXECUTABLE, i, 0, named.name(i)));
        return;
      }
    }
  }

  /**
   * Whether the loader gives the section flags of its own before it looks at them
   * (arch/../kernel/module-plts.c and module-sections.c: module_frob_arch_sections).
   */
  private boolean isRewritten(String section) {
    return switch (image.identity().machine()) {
      case ElfIdentity.EM_ARM -> section.equals(".plt") || section.equals(".init.plt");
      case ElfIdentity.EM_AARCH64 ->
          section.equals(".plt")
              || section.equals(".init.plt")
              || section.endsWith(".text.ftrace_trampoline");
      case ElfIdentity.EM_RISCV ->
          section.equals(".plt") || section.equals(".got") || section.equals(".got.plt");
      case ElfIdentity.EM_LOONGARCH ->
          section.equals(".plt")
              || section.equals(".got")
              || section.equals(".plt.idx")
              || section.equals(".ftrace_trampoline");
      default -> false;
    };
  }
}
