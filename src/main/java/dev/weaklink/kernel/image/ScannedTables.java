package dev.weaklink.kernel.image;

import dev.weaklink.kernel.KernelVersion;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Export tables of an image without section headers. Their entries follow each other, sorted by
 * name, table after table (asm-generic/vmlinux.lds.h:RO_DATA), and each refers to its name, so one
 * entry that is known to be there leads to all others: that of a symbol every kernel exports.
 */
final class ScannedTables {
  /** Symbols in the table for everybody; the first is there wherever CRCs are. */
  private static final List<String> ANCHORS = List.of("module_layout", "kfree", "jiffies");

  private static final int MAX_OCCURRENCES = 16;

  /** So many entries in order are no accident, and no others will be more. */
  private static final int CERTAIN = 500;

  /** Images are loaded at whole pages. */
  private static final int PAGE_MASK = 0xfff;

  private final Contents contents;
  private final Blob image;
  private final boolean hasNamespaces;
  private final SearchBudget budget = new SearchBudget();
  private @Nullable Tables best;

  private ScannedTables(Contents contents, boolean hasNamespaces) {
    this.contents = contents;
    this.hasNamespaces = hasNamespaces;
    this.image = contents.bytes();
  }

  /**
   * The tables, null if none were found.
   *
   * @param version the kernel's version, null if not known
   */
  static @Nullable Tables find(Contents contents, @Nullable KernelVersion version) {
    boolean hasNamespaces = version == null || version.atLeast(5, 4);
    for (String anchor : ANCHORS) {
      ScannedTables scan = new ScannedTables(contents, hasNamespaces);
      scan.from(anchor);
      if (scan.best != null) {
        return scan.best;
      }
    }
    return null;
  }

  private void from(String anchor) {
    List<Integer> names = occurrences(anchor + "\0");
    for (EntryLayout layout : TableLayouts.of(contents.machine(), hasNamespaces)) {
      if (layout.relative()) {
        relative(layout, names);
      }
      for (int i = 0; i < names.size() && !layout.relative() && !isCertain(); i++) {
        pointers(layout, names.get(i));
      }
      if (isCertain()) {
        return;
      }
    }
  }

  private boolean isCertain() {
    return best != null && best.size() >= CERTAIN;
  }

  private List<Integer> occurrences(String text) {
    List<Integer> found = new ArrayList<>();
    TextSearch search = new TextSearch(text);
    int at = search.next(image.data(), 0, image.length());
    while (at >= 0 && found.size() < MAX_OCCURRENCES) {
      found.add(at);
      at = search.next(image.data(), at + 1, image.length());
    }
    return found;
  }

  /** Entries whose second field is as far from one of the names as it says. */
  private void relative(EntryLayout layout, List<Integer> names) {
    if (names.isEmpty()) {
      return;
    }
    Blob little = image.inOrder(true);
    Entries entries = new Entries(little, layout, Addresses.linear(0, image.length()));
    int first = names.get(0);
    int last = names.get(names.size() - 1);
    for (int field = 4; field <= little.length() - 4 && !isCertain(); field += 4) {
      int target = field + little.i32(field);
      if (target >= first && target <= last && names.contains(target)) {
        consider(entries, field - 4);
      }
    }
  }

  private void pointers(EntryLayout layout, int name) {
    if (contents.machine() != null) {
      pointers(image, layout, name);
      return;
    }
    pointers(image.inOrder(true), layout, name);
    pointers(image.inOrder(false), layout, name);
  }

  /** Entries whose second field may be the name's address. */
  private void pointers(Blob bytes, EntryLayout layout, int name) {
    int size = layout.fieldSize();
    Addresses ofElf =
        contents.isElf() && contents.machine() != null
            ? Addresses.ofElf(bytes, contents.machine())
            : null;
    long address = ofElf == null ? 0 : ofElf.address(name);
    for (int field = size; field <= bytes.length() - size; field += size) {
      long value = bytes.word(field, size);
      if (ofElf != null) {
        if (value == address) {
          consider(new Entries(bytes, layout, ofElf), field - size);
        }
      } else if ((value - name & PAGE_MASK) == 0 && value != 0) {
        Addresses guess = Addresses.linear(value - name, bytes.length());
        consider(new Entries(bytes, layout, guess), field - size);
      }
    }
  }

  private void consider(Entries entries, int entry) {
    Tables found = Chain.through(entries, entry, budget);
    if (found != null && (best == null || found.size() > best.size()) && found.isPlausible()) {
      best = found;
    }
  }
}
