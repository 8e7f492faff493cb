package dev.weaklink.kernel;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * Names that what is built into a kernel has in /sys/module, where no module can take them
 * (kernel/module/sysfs.c:mod_sysfs_init).
 *
 * @param taken names that certainly are there
 * @param possible names that may be there, as those of drivers that not every machine registers
 * @param complete whether no others are there
 */
public record BuiltInModules(Set<String> taken, Set<String> possible, boolean complete) {
  public static final BuiltInModules UNKNOWN = new BuiltInModules(Set.of(), Set.of(), false);

  public BuiltInModules {
    taken = Set.copyOf(taken);
    possible = Set.copyOf(possible);
  }

  /**
   * Names that may be there by modules.builtin.modinfo, which has NUL-separated {@code
   * name.key=value}: that of a file, while parameters may go by another.
   */
  public static BuiltInModules listed(byte[] data, int length) {
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
      if (dot > at && equals > dot) {
        names.add(new String(data, at, dot - at, StandardCharsets.ISO_8859_1));
      }
      at = end + 1;
    }
    return new BuiltInModules(Set.of(), names, false);
  }

  /** The same, with names that may be there by others unless these are all. */
  public BuiltInModules or(BuiltInModules others) {
    if (complete) {
      return this;
    }
    Set<String> all = new HashSet<>(possible);
    all.addAll(others.possible);
    return new BuiltInModules(taken, all, false);
  }
}
