package dev.weaklink.tree;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The names by which modprobe finds a module (kmod libkmod-module.c:kmod_module_new_from_lookup):
 * of modules, built in or not, and their aliases, which are patterns of fnmatch(3). A hyphen and an
 * underscore are the same (shared/util.c:alias_normalize).
 */
public final class ModuleAliases {
  private static final String WILDCARDS = "*?[\\";
  private static final int LONGEST = 4096;

  private final Set<String> names = new HashSet<>();
  private final List<String> patterns = new ArrayList<>();

  /** A name or pattern more. */
  public void add(String alias) {
    if (alias.length() > LONGEST) {
      return;
    }
    String normalized = ModuleNames.normalized(alias);
    if (literal(normalized) == normalized.length()) {
      names.add(normalized);
    } else {
      // a hyphen within brackets is a range
      patterns.add(alias.indexOf('[') < 0 ? normalized : alias);
    }
  }

  /** What depmod's modules.alias lists: {@code alias PATTERN MODULE}, one a line. */
  public void addIndex(byte[] text, int length) {
    for (int at = 0; at < length; ) {
      int end = at;
      while (end < length && text[end] != '\n') {
        end++;
      }
      String[] words = new String(text, at, end - at, StandardCharsets.ISO_8859_1).split(" ", 3);
      if (words.length == 3 && words[0].equals("alias")) {
        add(words[1]);
      }
      at = end + 1;
    }
  }

  /**
   * Names and aliases of what is compiled in: NUL-separated {@code name.key=value} of
   * modules.builtin.modinfo.
   */
  public void addBuiltIn(byte[] info, int length) {
    for (int at = 0; at < length; ) {
      int end = at;
      while (end < length && info[end] != 0) {
        end++;
      }
      String entry = new String(info, at, end - at, StandardCharsets.ISO_8859_1);
      int dot = entry.indexOf('.');
      if (dot > 0) {
        add(entry.substring(0, dot));
        if (entry.startsWith("alias=", dot + 1)) {
          add(entry.substring(dot + 1 + "alias=".length()));
        }
      }
      at = end + 1;
    }
  }

  /**
   * Whether something may be found by a name as request_module takes it: of a format with
   * directives ({@code nvme_v%d}) no more counts than what stands before the first.
   */
  public boolean mayHave(String requested) {
    if (requested.length() > LONGEST || requested.indexOf('[') >= 0) {
      return true;
    }
    String name = ModuleNames.normalized(requested);
    int directive = name.indexOf('%');
    return directive < 0 ? has(name) : mayHaveFrom(name.substring(0, directive));
  }

  private boolean has(String name) {
    if (names.contains(name)) {
      return true;
    }
    for (String pattern : patterns) {
      if (matches(pattern, name)) {
        return true;
      }
    }
    return false;
  }

  private boolean mayHaveFrom(String beginning) {
    for (String name : names) {
      if (name.startsWith(beginning)) {
        return true;
      }
    }
    for (String pattern : patterns) {
      String head = ModuleNames.normalized(pattern.substring(0, literal(pattern)));
      if (head.startsWith(beginning) || beginning.startsWith(head)) {
        return true;
      }
    }
    return false;
  }

  /** How much of a pattern stands for itself. */
  private static int literal(String pattern) {
    int at = 0;
    while (at < pattern.length() && WILDCARDS.indexOf(pattern.charAt(at)) < 0) {
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
