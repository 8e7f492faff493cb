package dev.weaklink.module;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@code key=value} strings of {@code .modinfo} in file order. The loader takes the first entry
 * of a key (get_modinfo), so {@link #first} does too.
 *
 * @param entries whole strings, one character a byte
 * @param present whether the section is there at all
 * @param allocated whether it has SHF_ALLOC; loaders up to 6.3 do not see it otherwise
 */
public record ModInfo(List<String> entries, boolean present, boolean allocated) {
  /** No section. */
  public static final ModInfo ABSENT = new ModInfo(List.of(), false, false);

  /** Value of the first entry with this key, null if there is none. */
  public @Nullable String first(String key) {
    for (String entry : entries) {
      if (hasKey(entry, key)) {
        return entry.substring(key.length() + 1);
      }
    }
    return null;
  }

  /** Values of all entries with this key, in order. */
  public List<String> all(String key) {
    List<String> values = new ArrayList<>();
    for (String entry : entries) {
      if (hasKey(entry, key)) {
        values.add(entry.substring(key.length() + 1));
      }
    }
    return values;
  }

  private static boolean hasKey(String entry, String key) {
    return entry.length() > key.length()
        && entry.charAt(key.length()) == '='
        && entry.startsWith(key);
  }
}
