package dev.weaklink.explain;

import dev.weaklink.explain.TypeUse.Kind;
import dev.weaklink.loader.TypeChange.Change;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a module does with what changed, in words, escaped. */
public final class DriverText {
  private static final int MOST_PLACES = 3;
  private static final int MOST_NAMES = 12;

  private DriverText() {}

  /** "4 changes behind 184 symbols: 1 layout, 3 spelling only", and what it does with each. */
  public static List<String> lines(@Nullable DriverReport driver, boolean all) {
    List<String> lines = new ArrayList<>();
    if (driver == null || driver.difference().breaking().isEmpty()) {
      return lines;
    }
    KernelDifference difference = driver.difference();
    lines.add(Escape.bytes(driver.module()) + ": " + behind(difference));
    for (Kind kind : Kind.values()) {
      List<TypeUse> uses = driver.uses().stream().filter(use -> use.kind() == kind).toList();
      int each = all ? uses.size() : kind.compareTo(Kind.CALLS) < 0 ? MOST_NAMES : 0;
      uses.stream().limit(each).forEach(use -> lines.add("  " + line(use)));
      if (uses.size() > each) {
        List<String> names = uses.stream().skip(each).map(use -> use.change().title()).toList();
        lines.add("  " + verb(kind, true) + " " + some(names, MOST_NAMES));
      }
    }
    if (!driver.implied().isEmpty()) {
      lines.add(
          "  gone, but mostly called by the compiler or headers: "
              + some(driver.implied(), all ? Integer.MAX_VALUE : MOST_NAMES));
    }
    lines.addAll(advice(driver, difference, all));
    return lines;
  }

  private static String behind(KernelDifference difference) {
    Map<Change, Integer> kinds = new EnumMap<>(Change.class);
    difference.causes().forEach(cause -> kinds.merge(cause.change().change(), 1, Integer::sum));
    List<String> parts = new ArrayList<>();
    kinds.forEach((kind, count) -> parts.add(count + " " + kind.id()));
    return Numbers.of(difference.causes().size(), "change")
        + " behind "
        + behind(difference.explained(), difference.changed().size())
        + (parts.isEmpty() ? "" : ": " + String.join(", ", parts));
  }

  private static String behind(int explained, int changed) {
    return explained == changed
        ? Numbers.of(changed, "symbol")
        : Numbers.grouped(explained) + " of " + Numbers.of(changed, "symbol");
  }

  private static String line(TypeUse use) {
    String text = verb(use.kind(), use.certain()) + " " + Escape.text(use.change().title());
    if (!use.places().isEmpty()) {
      text += " (" + some(use.places(), MOST_PLACES) + ")";
    }
    text += ": " + CauseText.kind(use.change());
    boolean table =
        use.kind() == Kind.IMPLEMENTS && !use.change().kind().equals("typedef")
            || !use.firm().isEmpty();
    if (table && use.kind() != Kind.CALLS && use.change().change() != Change.SPELLING) {
      List<String> members = use.firm();
      text +=
          members.isEmpty()
              ? "; what it sets has not changed"
              : "; sets " + some(members, MOST_NAMES);
    }
    return text;
  }

  private static String verb(Kind kind, boolean certain) {
    return switch (kind) {
      case IMPLEMENTS -> certain ? "implements" : "probably implements";
      case EMBEDS -> certain ? "embeds" : "probably embeds";
      case CALLS -> "calls";
      case PASSES_THROUGH -> "passes pointers to";
      case UNKNOWN -> "not seen in the module:";
    };
  }

  private static List<String> advice(
      DriverReport driver, KernelDifference difference, boolean all) {
    List<String> firm = driver.firm();
    List<String> possible = driver.possible();
    int most = all ? Integer.MAX_VALUE : MOST_NAMES;
    List<String> lines = new ArrayList<>();
    if (!firm.isEmpty()) {
      lines.add("A rebuild is needed to load it. Look in its source at " + some(firm, most));
      if (!possible.isEmpty()) {
        lines.add(
            "Less likely, if its source uses them: "
                + (all ? some(possible, most) : Numbers.of(possible.size(), "member") + " (-v)"));
      }
    } else if (!possible.isEmpty()) {
      lines.add(
          "A rebuild is needed to load it; its source needs a change only if it uses "
              + some(possible, most));
    } else {
      lines.add(
          "A rebuild is needed to load it; "
              + (difference.explained() < difference.changed().size()
                  ? "whether its source needs a change is not known"
                  : "its source probably needs no change"));
    }
    if (!driver.typed()) {
      lines.add(
          "No types (BTF) of its own for the older kernel: tables are told by size and the places"
              + " of their pointers, and what its own structs embed is not known");
    }
    return lines;
  }

  private static String some(List<String> names, int most) {
    int shown = Math.min(most, names.size());
    String text = Escape.text(String.join(", ", names.subList(0, shown)));
    return names.size() > shown ? text + " and " + (names.size() - shown) + " more" : text;
  }
}
