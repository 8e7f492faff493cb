package dev.weaklink.links;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which kernel a root boots next, as far as files say: what GRUB has saved, else the newest. */
final class NextKernel {
  private static final int MOST = 64 << 10;
  private static final List<String> ENVIRONMENTS =
      List.of("/boot/grub2/grubenv", "/boot/grub/grubenv");

  private NextKernel() {}

  /**
   * One of these releases; null if there are none.
   *
   * @param releases from old to new
   */
  public static @Nullable String of(Root root, List<String> releases) {
    boolean isSaved = "saved".equals(value(root, "/etc/default/grub", "GRUB_DEFAULT"));
    for (String file : ENVIRONMENTS) {
      String found = named(value(root, file, "next_entry"), releases);
      if (found == null && isSaved) {
        found = named(value(root, file, "saved_entry"), releases);
      }
      if (found != null) {
        return found;
      }
    }
    return releases.isEmpty() ? null : releases.get(releases.size() - 1);
  }

  /** The longest release that the name of an entry contains. */
  private static @Nullable String named(@Nullable String entry, List<String> releases) {
    String found = null;
    for (String release : releases) {
      boolean isIn = entry != null && entry.contains(release);
      if (isIn && (found == null || release.length() > found.length())) {
        found = release;
      }
    }
    return found;
  }

  /** The value of the last line that sets it, without quotes; null if none does. */
  private static @Nullable String value(Root root, String file, String name) {
    String value = null;
    for (String line : new RootText(root).read(file, MOST).split("\n")) {
      if (line.startsWith(name + "=")) {
        value = line.substring(name.length() + 1).strip().replace("\"", "").replace("'", "");
      }
    }
    return value;
  }
}
