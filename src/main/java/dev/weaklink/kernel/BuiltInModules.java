package dev.weaklink.kernel;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * Names of built-in modules that occupy a directory in /sys/module, so that no module of that name
 * can be loaded: those with parameters or a version (kernel/params.c:param_sysfs_builtin,
 * version_sysfs_builtin), as {@code modules.builtin.modinfo} lists them.
 */
public final class BuiltInModules {
  private BuiltInModules() {}

  /** Reads NUL-separated {@code name.key=value} strings. */
  public static Set<String> read(byte[] data, int length) {
    Set<String> names = new HashSet<>();
    for (int at = 0; at < length; ) {
      int end = at;
      int dot = -1;
      int equals = -1;
      for (; end < length && data[end] != 0; end++) {
        if (data[end] == '.' && dot < 0 && equals < 0) {
          dot = end;
        } else if (data[end] == '=' && equals < 0) {
          equals = end;
        }
      }
      if (dot > at && equals > dot && occupies(data, dot + 1, equals)) {
        names.add(new String(data, at, dot - at, StandardCharsets.ISO_8859_1));
      }
      at = end + 1;
    }
    return names;
  }

  private static boolean occupies(byte[] data, int start, int end) {
    return switch (end - start) {
      case 7 -> startsWith(data, start, "version");
      case 8 -> startsWith(data, start, "parmtype");
      default -> false;
    };
  }

  private static boolean startsWith(byte[] data, int start, String word) {
    for (int i = 0; i < word.length(); i++) {
      if (data[start + i] != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
