package dev.weaklink.check.userspace;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where ld.so finds libraries by their names: {@code /etc/ld.so.cache} (glibc elf/cache.c,
 * sysdeps/generic/dl-cache.h: struct cache_file_new, from glibc 2.2 on). Variants for some
 * processors are left out: what they stand in for is listed, too.
 */
final class LinkerCache {
  private static final String FILE = "/etc/ld.so.cache";
  private static final int LIMIT = 16 << 20;
  private static final byte[] MAGIC = bytes("glibc-ld.so.cache1.1");

  /** What the format before had in front, up to glibc 2.31 both. */
  private static final byte[] OLD_MAGIC = bytes("ld.so-1.7.0\0");

  private static final int OLD_HEADER = 16;
  private static final int OLD_ENTRY = 12;
  private static final int HEADER = 48;
  private static final int ENTRY = 24;
  private static final int BIG_ENDIAN = 3;

  private LinkerCache() {}

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Paths by name, in order; null if a root has no cache that can be read: then ld.so has none. */
  static @Nullable Map<String, List<String>> read(Root root) {
    try (InputStream in = Files.newInputStream(root.resolve(FILE))) {
      return read(ByteBuffer.wrap(in.readNBytes(LIMIT)));
    } catch (IOException | IndexOutOfBoundsException e) {
      return null;
    }
  }

  private static @Nullable Map<String, List<String>> read(ByteBuffer file) {
    int start = 0;
    if (startsWith(file, OLD_MAGIC)) {
      long end = OLD_HEADER + OLD_ENTRY * (long) file.order(ByteOrder.nativeOrder()).getInt(12);
      start = (int) Math.min((end + 7) & -8, file.limit());
    }
    ByteBuffer cache = file.slice(start, file.limit() - start);
    if (!startsWith(cache, MAGIC)) {
      return null;
    }
    cache.order((cache.get(28) & 3) == BIG_ENDIAN ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    int count = cache.getInt(MAGIC.length);
    if (count < 0 || count > (cache.limit() - HEADER) / ENTRY) {
      return null;
    }
    Map<String, List<String>> paths = new HashMap<>();
    long left = 4L * cache.limit();
    for (int at = HEADER; count-- > 0; at += ENTRY) {
      if (cache.getLong(at + 16) == 0) {
        String name = text(cache, cache.getInt(at + 4));
        String path = text(cache, cache.getInt(at + 8));
        left -= name.length() + path.length();
        if (left < 0) {
          // texts that overlap: ldconfig writes none
          return null;
        }
        paths.computeIfAbsent(name, any -> new ArrayList<>()).add(path);
      }
    }
    return paths;
  }

  private static boolean startsWith(ByteBuffer bytes, byte[] magic) {
    return bytes.limit() >= magic.length
        && bytes.slice(0, magic.length).equals(ByteBuffer.wrap(magic));
  }

  /** Read no further than a path can be. */
  private static String text(ByteBuffer cache, int from) {
    byte[] text = new byte[4096];
    int length = 0;
    while (length < text.length && cache.get(from + length) != 0) {
      text[length] = cache.get(from + length);
      length++;
    }
    return new String(text, 0, length, StandardCharsets.UTF_8);
  }
}
