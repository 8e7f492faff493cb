package dev.weaklink.inventory;

import org.jspecify.annotations.Nullable;

/**
 * JSON out of texts that are bytes, itself bytes: what is valid UTF-8 stays as it is, any other
 * byte becomes U+FFFD. Members go without blanks between them.
 */
final class JsonText {
  private static final String REPLACEMENT = "\u00ef\u00bf\u00bd";
  private static final String HEX = "0123456789ABCDEF";
  private static final String SHORT = "btn-fr";

  private final StringBuilder out = new StringBuilder();
  private boolean first = true;

  /** Begins an object or array as a value, or as the next one of an array. */
  JsonText open(char bracket) {
    comma();
    out.append(bracket);
    first = true;
    return this;
  }

  /** Begins an object or array as the value of a key. */
  JsonText open(String key, char bracket) {
    key(key);
    out.append(bracket);
    first = true;
    return this;
  }

  JsonText close(char bracket) {
    out.append(bracket);
    first = false;
    return this;
  }

  /** A key with a text; nothing at all for null. */
  JsonText member(String key, @Nullable String value) {
    if (value != null) {
      key(key);
      quote(value);
    }
    return this;
  }

  JsonText member(String key, boolean value) {
    key(key);
    out.append(value);
    return this;
  }

  /** The next text of an array. */
  JsonText text(String value) {
    comma();
    quote(value);
    return this;
  }

  /** The next value of an array, which is JSON already. */
  JsonText json(String value) {
    comma();
    out.append(value);
    return this;
  }

  private void key(String key) {
    comma();
    quote(key);
    out.append(':');
  }

  private void comma() {
    if (!first) {
      out.append(',');
    }
    first = false;
  }

  private void quote(String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        escape(c);
        continue;
      }
      int length = sequence(text, i);
      if (length == 0) {
        out.append(REPLACEMENT);
      } else {
        out.append(text, i, i + length);
        i += length - 1;
      }
    }
    out.append('"');
  }

  private void escape(char c) {
    if (c == '"' || c == '\\') {
      out.append('\\').append(c);
    } else if (c >= ' ') {
      out.append(c);
    } else if (c >= '\b' && c <= '\r' && c != 0x0b) {
      out.append('\\').append(SHORT.charAt(c - '\b'));
    } else {
      out.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xf));
    }
  }

  /** Bytes of the UTF-8 sequence at a place, 0 if there is none (RFC 3629, section 4). */
  private static int sequence(String text, int at) {
    int lead = text.charAt(at);
    int second = at + 1 < text.length() ? text.charAt(at + 1) : 0;
    if (lead < 0xc2 || lead > 0xf4) {
      return 0;
    }
    boolean tooShort = lead == 0xe0 && second < 0xa0 || lead == 0xf0 && second < 0x90;
    boolean noCharacter = lead == 0xed && second > 0x9f || lead == 0xf4 && second > 0x8f;
    if (tooShort || noCharacter) {
      return 0;
    }
    int length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    for (int i = at + 1; i < at + length; i++) {
      if (i >= text.length() || (text.charAt(i) & 0xc0) != 0x80 || text.charAt(i) > 0xbf) {
        return 0;
      }
    }
    return length;
  }

  /** The bytes so far, one a character. */
  @Override
  public String toString() {
    return out.toString();
  }
}
