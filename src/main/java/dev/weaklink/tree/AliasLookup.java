package dev.weaklink.tree;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringTokenizer;

/**
 * Looks for requested names among those by which modprobe finds a module (kmod
 * libkmod-module.c:kmod_module_new_from_lookup): of modules, built in or not, and their aliases,
 * which are patterns of fnmatch(3). A hyphen and an underscore are the same
 * (shared/util.c:alias_normalize). A kernel has tens of thousands of aliases, of which no text is
 * made unless it begins like a name that has not been found yet.
 */
public final class AliasLookup {
  private static final int LONGEST = 4096;

  /** Of how many bytes an alias must begin like a name, unless it is shorter or has wildcards. */
  private static final int HEAD = 4;

  /** Requests not found so far, by what is compared: as they were made. */
  private final Map<String, List<String>> names = new HashMap<>();

  /** The same of those that go on in an unknown way, by what stands before that. */
  private final Map<String, List<String>> formats = new HashMap<>();

  /** By hashes of so many bytes, whether a name begins with them. */
  private final boolean[] heads = new boolean[1 << 12];

  /** Beginnings that are shorter than that. */
  private final List<byte[]> shortFormats = new ArrayList<>();

  /**
   * Begins to look for names.
   *
   * @param requested as request_module takes them: of a format with directives ({@code nvme_v%d})
   *     no more counts than what stands before the first
   */
  public AliasLookup(Collection<String> requested) {
    for (String one : requested) {
      // What is longer than any alias, or might be taken for a range, is not decided.
      if (one.length() <= LONGEST && one.indexOf('[') < 0) {
        String name = ModuleNames.normalized(one);
        int directive = name.indexOf('%');
        Map<String, List<String>> open = directive < 0 ? names : formats;
        String compared = directive < 0 ? name : name.substring(0, directive);
        open.computeIfAbsent(compared, key -> new ArrayList<>()).add(one);
      }
    }
    narrow();
  }

  /** Makes what follows faster if much was found: fewer beginnings count. */
  public void narrow() {
    Arrays.fill(heads, false);
    shortFormats.clear();
    names.keySet().forEach(name -> count(name.getBytes(StandardCharsets.ISO_8859_1)));
    for (String name : formats.keySet()) {
      byte[] bytes = name.getBytes(StandardCharsets.ISO_8859_1);
      count(bytes);
      if (bytes.length < HEAD) {
        shortFormats.add(bytes);
      }
    }
  }

  private void count(byte[] name) {
    if (name.length >= HEAD) {
      heads[head(name, 0)] = true;
    }
  }

  /** Whether nothing is left to look for. */
  public boolean isDone() {
    return names.isEmpty() && formats.isEmpty();
  }

  /** Which of the requests nothing that was offered goes by. */
  public Set<String> missing() {
    Set<String> missing = new HashSet<>();
    names.values().forEach(missing::addAll);
    formats.values().forEach(missing::addAll);
    return missing;
  }

  /** A name or alias more. */
  public void offer(String alias) {
    byte[] text = alias.getBytes(StandardCharsets.ISO_8859_1);
    if (alias.length() <= LONGEST && !isDone() && mayMatter(text, 0, text.length)) {
      look(alias);
    }
  }

  private void look(String alias) {
    String normalized = ModuleNames.normalized(alias);
    // a hyphen within brackets is a range
    String pattern = alias.indexOf('[') < 0 ? normalized : alias;
    String head = normalized.substring(0, literal(normalized));
    boolean literal = head.length() == normalized.length();
    if (literal) {
      names.remove(head);
    } else {
      names.keySet().removeIf(name -> matches(pattern, name));
    }
    formats.keySet().removeIf(name -> head.startsWith(name) || !literal && name.startsWith(head));
  }

  /** An alias more, one byte a character; most begin like no name. */
  private void offer(byte[] text, int from, int to) {
    if (to - from <= LONGEST && mayMatter(text, from, to)) {
      look(new String(text, from, to - from, StandardCharsets.ISO_8859_1));
    }
  }

  private boolean mayMatter(byte[] text, int from, int to) {
    if (to - from < HEAD) {
      return true;
    }
    for (int i = from; i < from + HEAD; i++) {
      if (isWildcard(text[i])) {
        return true;
      }
    }
    for (byte[] format : shortFormats) {
      if (beginsWith(text, from, format)) {
        return true;
      }
    }
    return heads[head(text, from)];
  }

  private static boolean beginsWith(byte[] text, int from, byte[] name) {
    for (int i = 0; i < name.length; i++) {
      if (name[i] != normalized(text[from + i])) {
        return false;
      }
    }
    return true;
  }

  private static byte normalized(byte c) {
    return c == '-' ? (byte) '_' : c;
  }

  private static boolean isWildcard(int c) {
    return c == '*' || c == '?' || c == '[' || c == '\\';
  }

  private int head(byte[] text, int from) {
    int hash = 0;
    for (int i = from; i < from + HEAD; i++) {
      hash = 31 * hash + normalized(text[i]);
    }
    return hash & heads.length - 1;
  }

  /** An entry of {@code .modinfo}, which may be an alias: {@code key=value}. */
  public void offerEntry(byte[] info, int at, int end) {
    int value = at + "alias=".length();
    if (value <= end && startsWith(info, at, "alias=")) {
      offer(info, value, end);
    }
  }

  /** What depmod's modules.alias lists: {@code alias PATTERN MODULE}, one a line. */
  public void offerIndex(byte[] text, int length) {
    for (int at = 0; at < length && !isDone(); ) {
      int end = end(text, at, length, '\n');
      int from = at + "alias ".length();
      int to = end(text, Math.min(from, end), end, ' ');
      if (to < end && to > from && startsWith(text, at, "alias ")) {
        offer(text, from, to);
      }
      at = end + 1;
    }
  }

  /**
   * A line of modprobe.d(5): for a name with an alias or a command of its own modprobe does what it
   * says, and what is on the blacklist is not missed.
   */
  public void offerConfigured(String line) {
    StringTokenizer words = new StringTokenizer(line, " \t");
    String word = words.hasMoreTokens() ? words.nextToken() : "";
    boolean names = word.equals("alias") || word.equals("install") || word.equals("blacklist");
    if (names && words.hasMoreTokens()) {
      offer(words.nextToken());
    }
  }

  /**
   * Names and aliases of what is compiled in: NUL-separated {@code name.key=value} of
   * modules.builtin.modinfo.
   */
  public void offerBuiltIn(byte[] info, int length) {
    for (int at = 0; at < length && !isDone(); ) {
      int end = end(info, at, length, '\0');
      int dot = end(info, at, end, '.');
      if (dot > at && dot < end) {
        offer(info, at, dot);
        offerEntry(info, dot + 1, end);
      }
      at = end + 1;
    }
  }

  private static int end(byte[] text, int from, int length, char last) {
    int at = from;
    while (at < length && text[at] != last) {
      at++;
    }
    return at;
  }

  private static boolean startsWith(byte[] text, int at, String wanted) {
    for (int i = 0; i < wanted.length(); i++) {
      if (at + i >= text.length || text[at + i] != wanted.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** How much of a pattern stands for itself. */
  private static int literal(String pattern) {
    int at = 0;
    while (at < pattern.length() && !isWildcard(pattern.charAt(at))) {
      at++;
    }
    return at;
  }

  /** As fnmatch(3) without flags; in time that grows with both lengths and no more. */
  private static boolean matches(String pattern, String name) {
    int p = 0;
    int n = 0;
    int star = -1;
    int resume = 0;
    while (n < name.length()) {
      int next = p < pattern.length() ? one(pattern, p, name.charAt(n)) : -1;
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        star = ++p;
        resume = n;
      } else if (next > 0) {
        p = next;
        n++;
      } else if (star >= 0) {
        p = star;
        n = ++resume;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }

  /** Where the pattern goes on if what stands at {@code at} matches a character, else -1. */
  private static int one(String pattern, int at, char c) {
    char p = pattern.charAt(at);
    return switch (p) {
      case '?' -> at + 1;
      case '[' -> bracket(pattern, at, c);
      case '\\' -> at + 1 < pattern.length() && pattern.charAt(at + 1) == c ? at + 2 : -1;
      default -> p == c || p == '-' && c == '_' ? at + 1 : -1;
    };
  }

  /** A bracket expression: characters and ranges, after {@code !} or {@code ^} all others. */
  private static int bracket(String pattern, int open, char c) {
    int at = open + 1;
    boolean negated = at < pattern.length() && "!^".indexOf(pattern.charAt(at)) >= 0;
    at += negated ? 1 : 0;
    int close = pattern.indexOf(']', at + 1);
    if (close < 0) {
      return -1;
    }
    boolean found = false;
    while (at < close) {
      boolean range = at + 2 < close && pattern.charAt(at + 1) == '-';
      char last = pattern.charAt(range ? at + 2 : at);
      found |= pattern.charAt(at) <= c && c <= last;
      at += range ? 3 : 1;
    }
    return found == negated ? -1 : close + 1;
  }
}
