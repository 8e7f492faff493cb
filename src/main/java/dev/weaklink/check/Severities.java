package dev.weaklink.check;

import dev.weaklink.kernel.Symvers;
import dev.weaklink.rules.NamePattern;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which changes of exports a kernel's maintainers let pass, in the format of kabi/severities in
 * SUSE's kernel sources: a pattern and PASS or FAIL on each line. The first pattern that matches
 * decides; without one a change fails.
 */
final class Severities {
  private enum About {
    SYMBOL,
    OWNER,
    NAMESPACE
  }

  private record Line(About about, NamePattern pattern, boolean passes) {}

  private final List<Line> lines = new ArrayList<>();

  /**
   * Reads the lines of a file.
   *
   * @param problems takes lines that are neither
   */
  static Severities of(String name, List<String> text, List<InputProblem> problems) {
    Severities severities = new Severities();
    for (int i = 0; i < text.size(); i++) {
      String line = text.get(i);
      int comment = line.indexOf('#');
      String[] words = (comment < 0 ? line : line.substring(0, comment)).strip().split("\\s+");
      String verdict = words.length == 2 ? words[1].toUpperCase(Locale.ROOT) : "";
      if (verdict.equals("PASS") || verdict.equals("FAIL")) {
        severities.add(words[0], verdict.equals("PASS"));
      } else if (!words[0].isEmpty()) {
        problems.add(new InputProblem(name + ":" + (i + 1), "expected a pattern and PASS or FAIL"));
      }
    }
    return severities;
  }

  /** A path or vmlinux is about who exports, upper case about a namespace (rpm/kabi.pl). */
  private void add(String pattern, boolean passes) {
    About about = About.SYMBOL;
    if (pattern.indexOf('/') >= 0 || pattern.equals(Symvers.VMLINUX)) {
      about = About.OWNER;
    } else if (pattern.equals(pattern.toUpperCase(Locale.ROOT))) {
      about = About.NAMESPACE;
    }
    lines.add(new Line(about, new NamePattern(pattern.replace("*", "**")), passes));
  }

  /** Whether a change of this export passes. */
  boolean passes(String symbol, String owner, @Nullable String namespace) {
    for (Line line : lines) {
      String name =
          switch (line.about) {
            case SYMBOL -> symbol;
            case OWNER -> owner;
            case NAMESPACE -> namespace == null ? "" : namespace;
          };
      if (line.pattern.matches(name)) {
        return line.passes;
      }
    }
    return false;
  }

  /** The symbols of a kABI stablelist of RHEL: one a line below a heading in brackets. */
  static Set<String> stablelist(List<String> text) {
    Set<String> symbols = new TreeSet<>();
    for (String line : text) {
      String symbol = line.strip();
      if (!symbol.isEmpty() && !symbol.startsWith("[") && !symbol.startsWith("#")) {
        symbols.add(symbol);
      }
    }
    return symbols;
  }
}
