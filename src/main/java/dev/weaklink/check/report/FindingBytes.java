package dev.weaklink.check.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.explain.DifferenceJson;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The findings of a verdict as JSON, straight into bytes: the check of a distribution kernel has
 * tens of thousands of findings, which are most of its result. For one thread.
 */
public final class FindingBytes {
  private static final byte[] ERRNO = ascii(",\"errno\":\"");
  private static final byte[] SYMBOL = ascii(",\"symbol\":\"");
  private static final byte[] WANTS = ascii(",\"wants\":\"");
  private static final byte[] OFFERS = ascii(",\"offers\":\"");
  private static final byte[] EXPORTER = ascii(",\"exporter\":\"");
  private static final byte[] IMPORTER = ascii(",\"importer\":\"");
  private static final byte[] USED = ascii(",\"used\":true");
  private static final byte[] NOT_USED = ascii(",\"used\":false");
  private static final byte[] DMESG = ascii(",\"dmesg\":\"");
  private static final byte[] DETAIL = ascii(",\"detail\":\"");
  private static final byte[] CAUSE = ascii(",\"cause\":");
  private static final byte[] HEX = ascii("0123456789ABCDEF");
  private static final int EFFECTS = Finding.Effect.values().length;
  private static final byte[][] HEADS = heads();

  /** The short escape of a control character, or 0. */
  private static final byte[] SHORT = new byte[128];

  static {
    SHORT['\b'] = 'b';
    SHORT['\t'] = 't';
    SHORT['\n'] = 'n';
    SHORT['\f'] = 'f';
    SHORT['\r'] = 'r';
    SHORT['"'] = '"';
    SHORT['\\'] = '\\';
  }

  /** Flush threshold, bytes. */
  private static final int FULL = 1 << 14;

  /** Bytes of the longest escape of one character. */
  private static final int LONGEST = 6;

  private byte[] bytes = new byte[FULL + (1 << 12)];
  private int used;

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** How a finding of a kind and an effect begins. */
  private static byte[][] heads() {
    byte[][] heads = new byte[FindingKind.values().length * EFFECTS][];
    for (FindingKind kind : FindingKind.values()) {
      String begin = "{\"layer\":\"" + kind.layer().id() + "\",\"id\":\"" + kind.id();
      for (Finding.Effect effect : Finding.Effect.values()) {
        heads[kind.ordinal() * EFFECTS + effect.ordinal()] =
            ascii(begin + "\",\"effect\":\"" + effect.id() + "\"");
      }
    }
    return heads;
  }

  /** A value that writes an array of these. */
  public JsonOutput.Writer of(List<Finding> findings) {
    return json -> write(json, findings);
  }

  /** Writes an array as the value of the field whose name has been written. */
  void write(JsonGenerator json, List<Finding> findings) throws IOException {
    // Nothing as the value makes the generator write what belongs before one.
    json.writeRawValue("");
    json.flush();
    OutputStream out = (OutputStream) json.getOutputTarget();
    used = 0;
    add('[');
    for (int i = 0; i < findings.size(); i++) {
      if (i > 0) {
        add(',');
      }
      finding(findings.get(i));
      if (used > FULL) {
        out.write(bytes, 0, used);
        used = 0;
      }
    }
    add(']');
    out.write(bytes, 0, used);
  }

  private void finding(Finding finding) {
    add(HEADS[finding.kind().ordinal() * EFFECTS + finding.effect().ordinal()]);
    field(ERRNO, finding.errno());
    field(SYMBOL, finding.symbol());
    field(WANTS, finding.wants());
    field(OFFERS, finding.offers());
    field(EXPORTER, finding.exporter());
    if (finding.importer() != null) {
      field(IMPORTER, finding.importer().name());
      add(finding.importer().used() ? USED : NOT_USED);
    }
    field(DMESG, finding.dmesg());
    field(DETAIL, finding.detail());
    if (finding.cause() != null) {
      add(CAUSE);
      add(JsonOutput.line(DifferenceJson.brief(finding.cause())));
      used--; // the end of the line
    }
    add('}');
  }

  private void field(byte[] key, @Nullable String value) {
    if (value == null) {
      return;
    }
    add(key);
    byte[] plain = value.getBytes(StandardCharsets.UTF_8);
    reserve(plain.length * LONGEST + 1);
    if (isPlain(plain)) {
      System.arraycopy(plain, 0, bytes, used, plain.length);
      used += plain.length;
    } else {
      escaped(value);
    }
    bytes[used++] = '"';
  }

  /**
   * Whether nothing needs an escape. Bytes are looked at several times as fast as characters of a
   * text; a question mark may stand for half a surrogate pair.
   */
  private static boolean isPlain(byte[] text) {
    for (byte b : text) {
      if (b < ' ' || b == '"' || b == '\\' || b == '?') {
        return false;
      }
    }
    return true;
  }

  private void escaped(String value) {
    byte[] to = bytes;
    int at = used;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c >= ' ' && c < 0x80 && c != '"' && c != '\\') {
        to[at++] = (byte) c;
      } else {
        at = escape(c, to, at);
      }
    }
    used = at;
  }

  private static int escape(char c, byte[] to, int start) {
    int at = start;
    to[at++] = '\\';
    byte letter = c < SHORT.length ? SHORT[c] : 0;
    if (letter != 0) {
      to[at++] = letter;
      return at;
    }
    to[at++] = 'u';
    for (int shift = 12; shift >= 0; shift -= 4) {
      to[at++] = HEX[c >> shift & 0xf];
    }
    return at;
  }

  private void add(byte[] part) {
    reserve(part.length);
    System.arraycopy(part, 0, bytes, used, part.length);
    used += part.length;
  }

  private void add(char c) {
    reserve(1);
    bytes[used++] = (byte) c;
  }

  private void reserve(int count) {
    if (bytes.length - used < count) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, used + count));
    }
  }
}
