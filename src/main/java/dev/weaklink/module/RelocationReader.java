package dev.weaklink.module;

import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.elf.ElfImage;
import dev.weaklink.elf.SectionTable;

/**
 * Looks at the relocations the loader would apply (arch/x86/kernel/module.c:apply_relocate_add):
 * their types, and whether the places they write to are zero as they must be.
 */
final class RelocationReader {
  private static final int RELA_SIZE = 24;
  private static final int R_X86_64_64 = 1;
  private static final int R_X86_64_PC64 = 24;
  private static final int TYPES_IN_MASK = 64;
  private static final long SHF_RELA_LIVEPATCH = 0x00100000;

  private final ElfImage image;
  private long typesUsed;
  private int firstHighType = -1;
  private int firstNonZeroTarget = -1;

  private RelocationReader(ElfImage image) {
    this.image = image;
  }

  static Relocations read(ElfImage image) {
    if (image.identity().machine() != ElfIdentity.EM_X86_64) {
      return Relocations.NOT_EXAMINED;
    }
    RelocationReader reader = new RelocationReader(image);
    SectionTable sections = image.sections();
    long unread = image.length();
    for (int i = 1; i < sections.count(); i++) {
      int target = sections.info(i);
      if (sections.type(i) == SectionTable.SHT_RELA
          && (sections.flags(i) & SHF_RELA_LIVEPATCH) == 0
          && target > 0
          && target < sections.count()
          && sections.isAllocated(target)
          && image.hasContents(i)) {
        unread -= sections.size(i);
        if (unread < 0) {
          // relocation sections that overlap: no linker writes them, and they could go on for ever
          return Relocations.NOT_EXAMINED;
        }
        reader.readSection(i, target);
      }
    }
    return new Relocations(true, reader.typesUsed, reader.firstHighType, reader.firstNonZeroTarget);
  }

  private void readSection(int section, int target) {
    SectionTable sections = image.sections();
    int at = (int) sections.offset(section);
    int end = (int) (at + sections.size(section) / RELA_SIZE * RELA_SIZE);
    boolean readable = image.hasContents(target);
    long targetAt = sections.offset(target);
    long targetSize = sections.size(target);
    for (; at < end; at += RELA_SIZE) {
      int type = image.i32(at + 8);
      if (type < 0 || type >= TYPES_IN_MASK) {
        firstHighType = firstHighType < 0 ? type & Integer.MAX_VALUE : firstHighType;
        continue;
      }
      typesUsed |= 1L << type;
      if (readable && type != 0 && firstNonZeroTarget < 0) {
        checkTarget(type, targetAt, targetSize, image.u64(at));
      }
    }
  }

  private void checkTarget(int type, long targetAt, long targetSize, long offset) {
    int width = type == R_X86_64_64 || type == R_X86_64_PC64 ? Long.BYTES : Integer.BYTES;
    if (offset < 0 || offset > targetSize - width) {
      return;
    }
    int place = (int) (targetAt + offset);
    long value = width == Long.BYTES ? image.u64(place) : image.i32(place);
    if (value != 0) {
      firstNonZeroTarget = type;
    }
  }
}
