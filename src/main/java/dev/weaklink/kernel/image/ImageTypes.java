package dev.weaklink.kernel.image;

import dev.weaklink.kernel.ExportTable;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The types (BTF) in a kernel's image, and what it exports.
 *
 * @param release the kernel's release (uname -r)
 * @param section its BTF section; null if it has none
 * @param exports what vmlinux exports; null if they were not wanted or not found
 */
public record ImageTypes(
    String release, @Nullable ByteBuffer section, @Nullable ExportTable exports) {

  /** The bytes of its BTF section, copied; null if it has none. */
  public byte @Nullable [] bytes() {
    if (section == null) {
      return null;
    }
    byte[] bytes = new byte[section.remaining()];
    section.duplicate().get(bytes);
    return bytes;
  }
}
