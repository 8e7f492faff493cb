package dev.weaklink.kernel.image;

import dev.weaklink.format.codec.Compression;
import dev.weaklink.format.codec.PayloadDecoder;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.kernel.LoaderTrace;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a kernel has in clear text. */
final class KernelStrings {
  private static final int MAX_VERMAGIC = 256;
  private static final int MAX_CONFIG = 4 << 20;
  private static final String CONFIG_START = "IKCFG_ST";

  private final byte[] data;

  /** Where to look: the part with constants if it is known, else everything. */
  private final int start;

  private final int end;

  KernelStrings(ByteView image, @Nullable Section constants) {
    this.data = image.data();
    this.start = constants == null ? 0 : constants.offset();
    this.end = constants == null ? image.length() : constants.end();
  }

  private int next(TextSearch search, int from) {
    return search.next(data, from, end);
  }

  /** The texts of the module loader that were found. */
  Set<LoaderTrace> traces() {
    Set<LoaderTrace> found = EnumSet.noneOf(LoaderTrace.class);
    for (LoaderTrace trace : LoaderTrace.values()) {
      if (next(new TextSearch(trace.text()), start) >= 0) {
        found.add(trace);
      }
    }
    return found;
  }

  /**
   * VERMAGIC_STRING (include/linux/vermagic.h): a string of its own that starts with the release;
   * all that follows are words of letters, digits and a few marks, with a blank between.
   */
  @Nullable String vermagic(String release) {
    TextSearch search = new TextSearch("\0" + release + " ");
    for (int at = next(search, start); at >= 0; at = next(search, at + 1)) {
      int from = at + 1;
      int to = from + release.length();
      while (to < end && to - from < MAX_VERMAGIC && isVermagicByte(data[to])) {
        to++;
      }
      if (to < end && data[to] == 0) {
        return new String(data, from, to - from, StandardCharsets.ISO_8859_1);
      }
    }
    return null;
  }

  private static boolean isVermagicByte(byte b) {
    return b >= 'a' && b <= 'z'
        || b >= 'A' && b <= 'Z'
        || b >= '0' && b <= '9'
        || b == ' '
        || b == '_'
        || b == '-'
        || b == '.';
  }

  /** The configuration that CONFIG_IKCONFIG builds in (kernel/configs.c); null without it. */
  @Nullable KernelConfig config() {
    int at = next(new TextSearch(CONFIG_START + "\u001f\u008b"), start);
    int until = at < 0 ? -1 : next(new TextSearch("IKCFG_ED"), at);
    if (until < 0) {
      return null;
    }
    int from = at + CONFIG_START.length();
    try {
      PayloadDecoder.Decoded text =
          PayloadDecoder.decode(data, from, until - from, Compression.GZIP, 0, MAX_CONFIG);
      return new KernelConfig(text.bytes(), text.length());
    } catch (IOException e) {
      // A configuration that cannot be read is as good as none.
      return null;
    }
  }
}
