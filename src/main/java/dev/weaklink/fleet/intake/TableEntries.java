package dev.weaklink.fleet.intake;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.weaklink.sys.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * CRCs and names as kmod prints them, a blank between the two.
 *
 * @param names in order; on ppc64 one leading dot is dropped, as the loader does
 * @param digest of the lines with a tab for the blank, null if it is not wanted
 */
record TableEntries(List<String> names, long[] crcs, @Nullable String digest) {
  static final String PREFIX = "0x";
  private static final int MAX_DIGITS = 16;

  /** Reads an array of them, whose bracket was read. */
  static TableEntries read(JsonParser json, boolean digested) throws IOException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw malformed();
    }
    MessageDigest digest = digested ? Sha256.start() : null;
    List<String> names = new ArrayList<>();
    long[] crcs = new long[64];
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (json.currentToken() != JsonToken.VALUE_STRING) {
        throw malformed();
      }
      String line = json.getText();
      int blank = line.indexOf(' ');
      if (names.size() == crcs.length) {
        crcs = Arrays.copyOf(crcs, crcs.length * 2);
      }
      crcs[names.size()] = crc(line, blank);
      names.add(name(line, blank));
      if (digest != null) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        bytes[blank] = '\t';
        digest.update(bytes);
        digest.update((byte) '\n');
      }
    }
    return new TableEntries(
        names,
        Arrays.copyOf(crcs, names.size()),
        digest == null ? null : "sha256:" + Sha256.hex(digest));
  }

  private static long crc(String line, int blank) throws MalformedNodeException {
    int digits = blank - PREFIX.length();
    if (!line.startsWith(PREFIX) || digits < 1 || digits > MAX_DIGITS) {
      throw malformed();
    }
    long crc = 0;
    for (int i = PREFIX.length(); i < blank; i++) {
      int digit = Character.digit(line.charAt(i), 16);
      if (digit < 0) {
        throw malformed();
      }
      crc = crc << 4 | digit;
    }
    return crc;
  }

  private static String name(String line, int blank) {
    int start = blank + 1;
    return line.substring(start < line.length() && line.charAt(start) == '.' ? start + 1 : start);
  }

  private static MalformedNodeException malformed() {
    return new MalformedNodeException("a table has an entry that is not a CRC and a name");
  }
}
