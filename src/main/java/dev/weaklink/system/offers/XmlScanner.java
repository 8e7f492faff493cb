package dev.weaklink.system.offers;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

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

  /** Has room for the longest tag and what is read with its end. */
  private final byte[] chunk = new byte[2 * MAX_TAG];

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
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    while (text(in, wantsText ? text : null)) {
      if (!markup(in)) {
        continue;
      }
      if (wantsText) {
        handler.text(text.toString(StandardCharsets.UTF_8));
        text.reset();
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

  /** Goes behind the next {@code <}; false at the end. */
  private boolean text(InputStream in, @Nullable ByteArrayOutputStream wanted) throws IOException {
    while (true) {
      int i = at;
      while (i < filled && chunk[i] != '<') {
        i++;
      }
      if (wanted != null) {
        wanted.write(chunk, at, Math.min(i - at, MAX_TEXT - wanted.size()));
      }
      at = i;
      if (i < filled) {
        at++;
        return true;
      }
      if (!fill(in)) {
        return false;
      }
    }
  }

  /** Reads on, keeping what begins at {@link #at}; false at the end of the file. */
  private boolean fill(InputStream in) throws IOException {
    filled -= at;
    System.arraycopy(chunk, at, chunk, 0, filled);
    at = 0;
    int count = in.read(chunk, filled, chunk.length - filled);
    filled += Math.max(count, 0);
    return count > 0;
  }

  /** Behind a {@code <}: true if it was a tag, which then is in {@link #tag}. */
  private boolean markup(InputStream in) throws IOException {
    byte quote = 0;
    int length = 0;
    while (true) {
      int from = at;
      int to = filled - from;
      byte c = 0;
      while (length < to) {
        c = chunk[from + length];
        if (c == '>' && quote == 0) {
          break;
        }
        length++;
        if (c == quote) {
          quote = 0;
        } else if (quote == 0 && (c == '"' || c == '\'')) {
          quote = c;
        } else if (quote == 0 && c == '<') {
          throw new IOException("has a tag in a tag");
        }
        if (length <= 8 && isSpecial(length, c)) {
          at += length;
          skip(in, chunk[from] == '?' ? "?>" : length == 3 ? "-->" : "]]>");
          return false;
        }
      }
      if (length > MAX_TAG) {
        throw new IOException("has a tag of more than " + MAX_TAG + " bytes");
      }
      if (length < to) {
        break;
      }
      if (!fill(in)) {
        throw new IOException("ends too early");
      }
    }
    tag.found(chunk, at, length);
    at += length + 1;
    return true;
  }

  /** Whether what begins a tag is that of an instruction, a comment or plain text. */
  private boolean isSpecial(int length, byte last) throws IOException {
    if (length == 1) {
      return last == '?';
    }
    if (chunk[at] != '!') {
      return false;
    }
    if (length == 2 && last != '-' && last != '[') {
      throw new IOException("declares types of documents or entities");
    }
    return length == 3 && startsWith(chunk, at, at + 3, "!--")
        || length == 8 && startsWith(chunk, at, at + 8, "![CDATA[");
  }

  private void skip(InputStream in, String end) throws IOException {
    int matched = 0;
    while (matched < end.length()) {
      if (at == filled && !fill(in)) {
        throw new IOException("ends too early");
      }
      int c = chunk[at++];
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

    private byte[] bytes = {};
    private int start;
    private int stop;
    private int nameStart;
    private int nameEnd;
    private int end;

    private void found(byte[] chunk, int from, int length) {
      bytes = chunk;
      start = from;
      stop = from + length;
      nameStart = closes() ? start + 1 : start;
      nameEnd = nameStart;
      while (nameEnd < stop && bytes[nameEnd] > ' ' && bytes[nameEnd] != '/') {
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
      return stop > start && bytes[start] == '/';
    }

    boolean empty() {
      return stop > start && bytes[stop - 1] == '/';
    }

    byte[] bytes() {
      return bytes;
    }

    /** Where the value of an attribute begins, -1 if there is none; {@link #to} is its end. */
    int from(String attribute) {
      int i = nameEnd;
      end = 0;
      while (i < stop) {
        while (i < stop && bytes[i] <= ' ') {
          i++;
        }
        int name = i;
        while (i < stop && bytes[i] != '=') {
          i++;
        }
        int quote = i + 1;
        if (quote >= stop || bytes[quote] != '"' && bytes[quote] != '\'') {
          return NONE;
        }
        int value = quote + 1;
        int close = value;
        while (close < stop && bytes[close] != bytes[quote]) {
          close++;
        }
        if (i - name == attribute.length() && startsWith(bytes, name, i, attribute)) {
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
