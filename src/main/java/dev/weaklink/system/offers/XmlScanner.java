package dev.weaklink.system.offers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Goes through the tags of an XML file in memory of a fixed size, however it is made: what is
 * needed of repository metadata has no entities, and a file that declares any is refused. Java's
 * own readers keep whole attributes and comments, and are not in the Java that packages bring.
 */
final class XmlScanner {
  private static final int MAX_TAG = 64 << 10;
  private static final int MAX_TEXT = 4 << 10;
  private static final int MAX_DEPTH = 64;

  private final Handler handler;
  private final Tag tag = new Tag();
  private final byte[] chunk = new byte[64 << 10];
  private int at;
  private int filled;

  /** Takes what is there. */
  interface Handler {
    /** A tag opens; true if the text up to the next tag is wanted. */
    boolean start(Tag tag);

    /** The text that was wanted, entities as they stand. */
    void text(String text);

    /** A tag closes, or was empty. */
    void end(Tag tag) throws IOException;
  }

  XmlScanner(Handler handler) {
    this.handler = handler;
  }

  /**
   * Reads a whole file.
   *
   * @param top the tag that all others are in
   * @throws IOException if it is not whole, or no such file
   */
  void read(InputStream in, String top) throws IOException {
    int depth = 0;
    boolean ended = false;
    boolean wantsText = false;
    StringBuilder text = new StringBuilder();
    while (true) {
      int c = next(in);
      if (c < 0) {
        break;
      }
      if (c != '<') {
        if (wantsText && text.length() < MAX_TEXT) {
          text.append((char) c);
        }
        continue;
      }
      if (!markup(in)) {
        continue;
      }
      if (wantsText) {
        handler.text(
            new String(
                text.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
        text.setLength(0);
        wantsText = false;
      }
      if (ended || depth == 0 && !tag.is(top)) {
        throw new IOException("is no " + top + " of a repository");
      }
      if (tag.closes()) {
        depth--;
        handler.end(tag);
      } else {
        wantsText = handler.start(tag) && !tag.empty();
        if (tag.empty()) {
          handler.end(tag);
        } else if (++depth > MAX_DEPTH) {
          throw new IOException("has more than " + MAX_DEPTH + " tags in each other");
        }
      }
      ended = depth == 0;
    }
    if (!ended) {
      throw new IOException("ends too early");
    }
  }

  private int next(InputStream in) throws IOException {
    if (at == filled) {
      filled = in.read(chunk);
      at = 0;
      if (filled <= 0) {
        filled = 0;
        return -1;
      }
    }
    return chunk[at++] & 0xff;
  }

  /** Behind a {@code <}: true if it was a tag, which then is in {@link #tag}. */
  private boolean markup(InputStream in) throws IOException {
    tag.length = 0;
    int quote = 0;
    while (true) {
      int c = next(in);
      if (c < 0) {
        throw new IOException("ends too early");
      }
      if (quote == 0 && c == '>') {
        break;
      }
      if (tag.length == MAX_TAG) {
        throw new IOException("has a tag of more than " + MAX_TAG + " bytes");
      }
      if (c == '"' || c == '\'') {
        quote = quote == 0 ? c : quote == c ? 0 : quote;
      } else if (c == '<' && quote == 0) {
        throw new IOException("has a tag in a tag");
      }
      tag.bytes[tag.length++] = (byte) c;
      if (tag.length == 1 && c == '?') {
        skip(in, "?>");
        return false;
      }
      if (tag.length == 3 && startsWith(tag.bytes, 0, 3, "!--")) {
        skip(in, "-->");
        return false;
      }
      if (tag.length == 8 && startsWith(tag.bytes, 0, 8, "![CDATA[")) {
        skip(in, "]]>");
        return false;
      }
      if (tag.length == 2 && c != '-' && c != '[' && tag.bytes[0] == '!') {
        throw new IOException("declares types of documents or entities");
      }
    }
    tag.found();
    return true;
  }

  private void skip(InputStream in, String end) throws IOException {
    int matched = 0;
    while (matched < end.length()) {
      int c = next(in);
      if (c < 0) {
        throw new IOException("ends too early");
      }
      if (c == end.charAt(matched)) {
        matched++;
      } else if (!(c == end.charAt(0) && matched == end.length() - 1 && end.charAt(1) == c)) {
        matched = c == end.charAt(0) ? 1 : 0;
      }
    }
  }

  static boolean startsWith(byte[] bytes, int from, int to, String text) {
    if (to - from < text.length()) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      if (bytes[from + i] != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** A tag, until the next one is read. */
  static final class Tag {
    private static final int NONE = -1;

    private final byte[] bytes = new byte[MAX_TAG];
    private int length;
    private int nameStart;
    private int nameEnd;
    private int end;

    private void found() {
      nameStart = length > 0 && bytes[0] == '/' ? 1 : 0;
      nameEnd = nameStart;
      while (nameEnd < length && bytes[nameEnd] > ' ' && bytes[nameEnd] != '/') {
        nameEnd++;
        if (bytes[nameEnd - 1] == ':') {
          nameStart = nameEnd;
        }
      }
    }

    /** Whether that is its name, whatever stands before a colon. */
    boolean is(String name) {
      return nameEnd - nameStart == name.length() && startsWith(bytes, nameStart, nameEnd, name);
    }

    boolean closes() {
      return length > 0 && bytes[0] == '/';
    }

    boolean empty() {
      return length > 0 && bytes[length - 1] == '/';
    }

    byte[] bytes() {
      return bytes;
    }

    /** Where the value of an attribute begins, -1 if there is none; {@link #to} is its end. */
    int from(String attribute) {
      int i = nameEnd;
      end = 0;
      while (i < length) {
        while (i < length && bytes[i] <= ' ') {
          i++;
        }
        int start = i;
        while (i < length && bytes[i] != '=') {
          i++;
        }
        int quote = i + 1;
        if (quote >= length || bytes[quote] != '"' && bytes[quote] != '\'') {
          return NONE;
        }
        int value = quote + 1;
        int close = value;
        while (close < length && bytes[close] != bytes[quote]) {
          close++;
        }
        if (i - start == attribute.length() && startsWith(bytes, start, i, attribute)) {
          end = close;
          return value;
        }
        i = close + 1;
      }
      return NONE;
    }

    int to() {
      return end;
    }

    /** The value of an attribute, empty if there is none. */
    String text(String attribute) {
      int from = from(attribute);
      return from < 0 ? "" : new String(bytes, from, end - from, StandardCharsets.UTF_8);
    }
  }
}
