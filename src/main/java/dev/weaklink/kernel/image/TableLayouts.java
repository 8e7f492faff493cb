package dev.weaklink.kernel.image;

import dev.weaklink.format.elf.ElfIdentity;
import dev.weaklink.kernel.image.KernelImage.EntryLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The layouts of export tables that a machine's kernels have had. */
final class TableLayouts {
  private TableLayouts() {}

  /**
   * For a machine, or for any if it is not known. Those with more fields come first.
   *
   * @param hasNamespaces false before 5.4
   */
  static List<EntryLayout> of(@Nullable ElfIdentity identity, boolean hasNamespaces) {
    List<EntryLayout> layouts = new ArrayList<>();
    if (identity == null || hasRelative(identity.machine())) {
      layouts.add(EntryLayout.RELATIVE_3);
      layouts.add(EntryLayout.RELATIVE_2);
    }
    for (int word : identity == null ? List.of(8, 4) : List.of(identity.wordSize())) {
      layouts.add(EntryLayout.pointers(word, 3));
      layouts.add(EntryLayout.pointers(word, 2));
    }
    layouts.removeIf(layout -> !hasNamespaces && layout.fields() == 3);
    return layouts;
  }

  /** CONFIG_HAVE_ARCH_PREL32_RELOCATIONS. */
  private static boolean hasRelative(int machine) {
    return machine == ElfIdentity.EM_X86_64
        || machine == ElfIdentity.EM_386
        || machine == ElfIdentity.EM_AARCH64;
  }
}
