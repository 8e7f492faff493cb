package dev.weaklink.module;

import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.ElfDefect.Kind;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Section {@code __param}, an array of struct kernel_param (include/linux/moduleparam.h), as far as
 * the loader uses it before a module's own function runs: each entry has a name, and most a file of
 * that name in /sys/module (kernel/params.c: module_param_sysfs_setup).
 */
final class ParameterTable {
  private static final byte[] PARAMETERS = NamedSections.wanted("__param");

  /**
   * How entries were laid out: words, and which of them has the permissions. Before it are, each
   * with a relocation, name, module (4.2 and later) and operations; up to 2.6.35 only a name.
   */
  private static final int[][] LAYOUTS = {{5, 3}, {4, 2}, {5, 1}};

  private static final int LONGEST_NAME = 256;

  private final ElfImage image;
  private final SectionTable sections;
  private final int section;

  ParameterTable(ElfImage image, NamedSections named) {
    this.image = image;
    sections = image.sections();
    section = named.findAllocated(PARAMETERS);
  }

  /** Notes a table in which entries are not as the compiler makes them. */
  void check(ElfValidity validity) {
    if (section < 0 || !image.hasContents(section) || sections.size(section) == 0) {
      return;
    }
    RelocationTable relocations = RelocationTable.of(image, section, image.identity().wordSize());
    for (int[] layout : LAYOUTS) {
      if (isSound(relocations, layout[0], layout[1])) {
        return;
      }
    }
    validity.add(ElfDefect.of(Kind.BROKEN_PARAMETERS));
  }

  private boolean isSound(RelocationTable relocations, int words, int permissions) {
    long size = sections.size(section);
    if (size % (words * image.identity().wordSize()) != 0 || relocations.isIrregular()) {
      return false;
    }
    SymbolTable symbols = SymbolTable.bare(image);
    Set<String> names = new HashSet<>();
    for (int entry = 0; entry < relocations.slots(); entry += words) {
      for (int i = 0; i <= permissions; i++) {
        if ((relocations.symbol(entry + i) == RelocationTable.NONE) != (i == permissions)) {
          return false;
        }
      }
      String name = string(symbols, relocations.symbol(entry), relocations.addend(entry));
      if (name == null || isShown(entry + permissions) && !names.add(name)) {
        return false;
      }
    }
    return true;
  }

  /** Whether there is a file for it: permissions other than 0. */
  private boolean isShown(int permissions) {
    long at = sections.offset(section) + (long) permissions * image.identity().wordSize();
    return image.u16((int) at) != 0;
  }

  /** The name at an address; null if there is none. */
  private @Nullable String string(SymbolTable symbols, int symbol, long addend) {
    int in = symbol >= 0 && symbol < symbols.count() ? symbols.section(symbol) : 0;
    if (in <= 0 || in >= sections.count() || !image.hasContents(in)) {
      return null;
    }
    long inside = symbols.value(symbol) + addend;
    if (inside < 0 || inside >= sections.size(in)) {
      return null;
    }
    int start = (int) (sections.offset(in) + inside);
    int end = (int) (start + Math.min(sections.size(in) - inside, LONGEST_NAME));
    int length = image.stringLength(start, end);
    return length <= 0
        ? null
        : new String(image.data(), start, length, StandardCharsets.ISO_8859_1);
  }
}
