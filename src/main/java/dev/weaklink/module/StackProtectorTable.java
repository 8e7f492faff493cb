package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.ElfDefect.Kind;

/**
 * Section {@code __stack_protector_loc} of s390x: addresses of instructions that the loader changes
 * (arch/s390/kernel/stackprotector.c: __stack_protector_apply, 7.2), each {@code larl} or {@code
 * lgrl}. Any other it refuses; an address outside of the module ends the kernel.
 */
final class StackProtectorTable {
  private static final byte[] LOCATIONS = NamedSections.wanted("__stack_protector_loc");
  private static final int INSTRUCTION = 6;

  private final ElfImage image;
  private final SectionTable sections;
  private final int section;

  StackProtectorTable(ElfImage image, NamedSections named) {
    this.image = image;
    sections = image.sections();
    boolean s390x = image.identity().machine() == ElfIdentity.EM_S390 && image.identity().is64();
    section = s390x ? named.findAllocated(LOCATIONS) : -1;
  }

  /** Notes a table with an address of anything else. */
  void check(ElfValidity validity) {
    if (section < 0 || !image.hasContents(section)) {
      return;
    }
    RelocationTable table = RelocationTable.of(image, section, Long.BYTES);
    SymbolTable symbols = SymbolTable.bare(image);
    boolean sound = !table.isIrregular();
    for (int slot = 0; slot < table.slots() && sound; slot++) {
      sound = isExpected(symbols, table.symbol(slot), table.addend(slot));
    }
    if (!sound) {
      validity.add(ElfDefect.of(Kind.STACK_PROTECTOR_LOCATION));
    }
  }

  private boolean isExpected(SymbolTable symbols, int symbol, long addend) {
    int in = symbol >= 0 && symbol < symbols.count() ? symbols.section(symbol) : 0;
    if (in <= 0 || in >= sections.count() || !image.hasContents(in)) {
      return false;
    }
    long inside = symbols.value(symbol) + addend;
    if (inside < 0 || inside > sections.size(in) - INSTRUCTION) {
      return false;
    }
    int operation = image.u16((int) (sections.offset(in) + inside)) & 0xff0f;
    return operation == 0xc000 || operation == 0xc408;
  }
}
