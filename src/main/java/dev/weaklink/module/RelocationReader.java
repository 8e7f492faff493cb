package dev.weaklink.module;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.format.elf.ElfImage;
import dev.weaklink.format.elf.SectionTable;
import dev.weaklink.module.Relocations.Place;
import dev.weaklink.module.Relocations.Use;
import dev.weaklink.module.Relocations.Value;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Looks at the relocations the loader would apply (kernel/module/main.c:apply_relocations): of
 * which types they are, what they write, and on x86-64 whether the places they write to are zero as
 * they must be (arch/x86/kernel/module.c:apply_relocate_add).
 */
final class RelocationReader {
  static final int RELA_SIZE = 24;
  private static final int R_X86_64_64 = 1;
  private static final int R_X86_64_PC64 = 24;
  private static final long SHF_RELA_LIVEPATCH = 0x00100000;

  /** What names of sections with that flag begin with. */
  private static final byte[] OF_LIVEPATCH = ".klp.rela.".getBytes(StandardCharsets.US_ASCII);

  /** More kinds than any machine has: whatever comes later comes after one that is unknown. */
  private static final int MOST_USES = 512;

  /** Of a section of which it does not matter what has been written. */
  private static final long[] NOWHERE = {};

  private final ElfImage image;
  private final SectionTable sections;
  private final NamedSections names;
  private final LoadedSections loaded;
  private final RelocationValues values;
  private final boolean x86;
  private final int thisModule;
  private final SymbolTable symbols;
  private final List<Use> uses = new ArrayList<>();
  private final Set<Use> seen = new HashSet<>();
  private final boolean[] inOrder = new boolean[1025];
  private final Map<Integer, long[]> written = new HashMap<>();

  private RelocationReader(ElfImage image) {
    this.image = image;
    sections = image.sections();
    loaded = new LoadedSections(image);
    names = new NamedSections(image);
    thisModule = names.find(NamedSections.wanted(".gnu.linkonce.this_module"));
    symbols = SymbolTable.bare(image);
    values = new RelocationValues(image, loaded);
    x86 = image.identity().machine() == ElfIdentity.EM_X86_64;
  }

  static Relocations read(ElfImage image) {
    return isKnown(image.identity())
        ? new RelocationReader(image).readAll()
        : Relocations.NOT_EXAMINED;
  }

  private static boolean isKnown(ElfIdentity identity) {
    return switch (identity.machine()) {
      case ElfIdentity.EM_X86_64,
          ElfIdentity.EM_AARCH64,
          ElfIdentity.EM_S390,
          ElfIdentity.EM_PPC64,
          ElfIdentity.EM_RISCV ->
          identity.is64();
      default -> false;
    };
  }

  private Relocations readAll() {
    long unread = image.length();
    long unwritten = image.length();
    for (int i = 1; i < sections.count(); i++) {
      int target = sections.info(i);
      if (target < 0 || target >= sections.count() || !loaded.isLoaded(target)) {
        continue;
      }
      if ((sections.flags(i) & SHF_RELA_LIVEPATCH) != 0) {
        addLivepatch(i);
        continue;
      }
      if (sections.type(i) == SectionTable.SHT_REL) {
        add(new Use(i, -1, 0, Place.FREE, Value.FITS));
      } else if (sections.type(i) == SectionTable.SHT_RELA && image.hasContents(i)) {
        unread -= sections.size(i);
        boolean tracked = x86 && image.hasContents(target) && !written.containsKey(target);
        unwritten -= tracked ? sections.size(target) : 0;
        if (unread < 0 || unwritten < 0) {
          // sections that overlap: no linker writes them, and they could go on for ever
          return Relocations.NOT_EXAMINED;
        }
        readSection(i, target);
      }
    }
    return new Relocations(true, uses);
  }

  /** kernel/livepatch/core.c:klp_apply_section_relocs, which takes only sections of such names. */
  private void addLivepatch(int section) {
    boolean relocates =
        sections.type(section) == SectionTable.SHT_RELA
            || sections.type(section) == SectionTable.SHT_REL;
    if (relocates && !names.is(section, OF_LIVEPATCH)) {
      add(new Use(section, 0, 0, Place.FREE, Value.LIVEPATCH));
    }
  }

  private void readSection(int section, int target) {
    int at = (int) sections.offset(section);
    int count = (int) (sections.size(section) / RELA_SIZE);
    values.enter(at, count);
    long[] used = x86 && image.hasContents(target) ? written(target) : NOWHERE;
    long size = sections.size(target);
    long start = sections.offset(target);
    for (int i = 0; i < count; i++, at += RELA_SIZE) {
      long offset = image.u64(at);
      long info = image.u64(at + 8);
      int type = (int) info;
      Place place = place(type, (int) (info >>> 32), target, offset, size, start, used);
      Value value = values.of(at, target);
      boolean sound = place == Place.FREE && value == Value.FITS;
      if (!sound || !met(type)) {
        add(new Use(section, i, type, place, value));
      }
    }
  }

  /** A bit for each byte of a section that has contents, and some to spare. */
  private long[] written(int target) {
    return written.computeIfAbsent(
        target, any -> new long[(int) (sections.size(target) / Long.SIZE) + 2]);
  }

  /** Whether a relocation of this type that was in order has been met before; quick for most. */
  private boolean met(int type) {
    if (type < 0 || type >= inOrder.length) {
      return false;
    }
    boolean before = inOrder[type];
    inOrder[type] = true;
    return before;
  }

  private void add(Use use) {
    boolean whole = use.index() < 0;
    Use kind = new Use(0, whole ? -1 : 0, use.type(), use.place(), use.value());
    if (uses.size() < MOST_USES && seen.add(kind)) {
      uses.add(use);
    }
  }

  /**
   * What is at the place.
   *
   * @param symbol what is written
   * @param size of the section {@code target}, which begins at {@code start} of the file
   * @param used which of its bytes have been written; {@link #NOWHERE} if that does not matter
   */
  private Place place(
      int type, int symbol, int target, long offset, long size, long start, long[] used) {
    if (type == 0) {
      return Place.FREE;
    }
    int width = x86 && (type == R_X86_64_64 || type == R_X86_64_PC64) ? Long.BYTES : Integer.BYTES;
    if (offset < 0 || offset > size - width) {
      return Place.OUTSIDE;
    }
    if (used == NOWHERE) {
      return Place.FREE;
    }
    if (target == thisModule && !(width == Long.BYTES && isEntryPoint(symbol))) {
      // the kernel has filled in more of struct module than init and exit by then
      return Place.USED_BEFORE;
    }
    if (!take(used, (int) offset, width)) {
      return Place.USED_BEFORE;
    }
    int file = (int) (start + offset);
    long there = width == Long.BYTES ? image.u64(file) : image.i32(file);
    return there == 0 ? Place.FREE : Place.NOT_ZERO;
  }

  /** Whether it is what a build leaves to be written to struct module (modpost.c: add_header). */
  private boolean isEntryPoint(int symbol) {
    return symbol > 0
        && symbol < symbols.count()
        && (symbols.hasName(symbol, "init_module") || symbols.hasName(symbol, "cleanup_module"));
  }

  /** Marks some bytes; false, and marks none, if one of them is marked. */
  private static boolean take(long[] used, int start, int width) {
    int word = start / Long.SIZE;
    long bits = (1L << width) - 1;
    long low = bits << start;
    // those beyond the word; a shift by 64 would be one by 0
    long high = bits >>> 1 >>> (Long.SIZE - 1 - start % Long.SIZE);
    if ((used[word] & low | used[word + 1] & high) != 0) {
      return false;
    }
    used[word] |= low;
    used[word + 1] |= high;
    return true;
  }
}
