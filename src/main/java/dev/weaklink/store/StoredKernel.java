package dev.weaklink.store;

import dev.weaklink.elf.ElfIdentity;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.LoaderRules;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a kernel: as much as a check needs.
 *
 * @param release its release
 * @param machine what it runs on, null if that was not known
 * @param vermagic what it compares a module's vermagic with, null if that was not known
 * @param structModuleSize bytes of its struct module, -1 if that was not known
 * @param builtIn names of built-in modules that occupy a place in /sys/module
 * @param rules how its loader decides, with the evidence there was
 * @param exports all rows of its Module.symvers
 */
public record StoredKernel(
    String release,
    @Nullable ElfIdentity machine,
    @Nullable String vermagic,
    long structModuleSize,
    Set<String> builtIn,
    LoaderRules rules,
    ExportTable exports) {
  private static final int MAX_RELEASE = 128;

  public StoredKernel {
    builtIn = Set.copyOf(builtIn);
  }

  /** Whether a release can be part of a file's name; those of real kernels can. */
  public static boolean isPlainRelease(String release) {
    if (release.isEmpty() || release.length() > MAX_RELEASE || release.charAt(0) == '.') {
      return false;
    }
    for (int i = 0; i < release.length(); i++) {
      char c = release.charAt(i);
      boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
      if (!letter && "._+~-".indexOf(c) < 0) {
        return false;
      }
    }
    return true;
  }
}
