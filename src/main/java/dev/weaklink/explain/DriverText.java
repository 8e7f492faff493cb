package dev.weaklink.explain;

import dev.weaklink.explain.TypeUse.UseKind;
import dev.weaklink.loader.CauseText;
import dev.weaklink.loader.TypeChange.TypeChangeKind;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Describes in sentences, escaped for a terminal, how a module uses the types and symbols that changed. */
public final class DriverText {
    private static final int MOST_PLACES = 3;
    private static final int MOST_NAMES = 12;

    private DriverText() {}

    public static List<String> lines(@Nullable DriverReport driver, boolean all) {
        List<String> lines = new ArrayList<>();
        if (driver == null || driver.difference().breaking().isEmpty()) {
            return lines;
        }
        KernelDifference difference = driver.difference();
        lines.add(Escape.bytes(driver.module()) + ": " + behind(difference));
        List<String> unexplained = difference.unexplained();
        if (!unexplained.isEmpty()) {
            lines.add("  no cause found for " + some(unexplained, all ? Integer.MAX_VALUE : MOST_NAMES));
        }
        for (UseKind kind : UseKind.values()) {
            List<TypeUse> uses = new ArrayList<>(
                    driver.uses().stream().filter(use -> use.kind() == kind).toList());
            List<TypeUse> quiet = all ? List.of() : quiet(kind, uses);
            uses.removeAll(quiet);
            int each = all ? uses.size() : kind.compareTo(UseKind.CALLS) < 0 ? MOST_NAMES : 0;
            uses.stream().limit(each).forEach(use -> lines.add("  " + line(use)));
            if (uses.size() > each) {
                lines.add("  " + verb(kind, true) + " " + titles(uses.subList(each, uses.size())));
            }
            if (!quiet.isEmpty()) {
                String verb = kind == UseKind.IMPLEMENTS ? "sets no changed member of" : verb(kind, true);
                lines.add("  " + verb + " " + titles(quiet));
            }
        }
        if (!driver.implied().isEmpty()) {
            lines.add("  removed, but usually called only by compiler or headers: "
                    + some(driver.implied(), all ? Integer.MAX_VALUE : MOST_NAMES));
        }
        lines.addAll(advice(driver, difference, all));
        return lines;
    }

    private static List<TypeUse> quiet(UseKind kind, List<TypeUse> uses) {
        List<TypeUse> quiet = kind.compareTo(UseKind.EMBEDS) > 0
                ? List.of()
                : uses.stream().filter(use -> use.firm().isEmpty()).toList();
        return quiet.size() > MOST_PLACES ? quiet : List.of();
    }

    private static String titles(List<TypeUse> uses) {
        return some(uses.stream().map(use -> use.change().title()).toList(), MOST_NAMES);
    }

    private static String behind(KernelDifference difference) {
        Map<TypeChangeKind, Integer> kinds = new EnumMap<>(TypeChangeKind.class);
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
        String text =
                verb(use.kind(), use.certain()) + " " + Escape.text(use.change().title());
        if (!use.places().isEmpty()) {
            text += " (" + some(use.places(), MOST_PLACES) + ")";
        }
        text += ": " + CauseText.kind(use.change());
        return use.kind() == UseKind.CALLS || use.change().change() == TypeChangeKind.SPELLING
                ? text
                : text + members(use);
    }

    private static String members(TypeUse use) {
        int start = use.change().name().length() + 1;
        List<String> sets =
                use.firm().stream().map(member -> member.substring(start)).toList();
        String text = sets.isEmpty() ? "" : "; sets " + some(sets, MOST_NAMES);
        boolean table = use.kind() == UseKind.IMPLEMENTS && !use.change().kind().equals("typedef");
        return table && text.isEmpty() ? "; sets no changed member" : text;
    }

    private static String verb(UseKind kind, boolean certain) {
        return switch (kind) {
            case IMPLEMENTS -> certain ? "implements" : "probably implements";
            case EMBEDS -> certain ? "embeds" : "probably embeds";
            case CALLS -> "calls";
            case PASSES_THROUGH -> "passes pointers to";
            case UNKNOWN -> "not seen in the module:";
        };
    }

    private static List<String> advice(DriverReport driver, KernelDifference difference, boolean all) {
        List<String> firm = driver.firm();
        List<String> possible = driver.possible();
        int most = all ? Integer.MAX_VALUE : MOST_NAMES;
        List<String> lines = new ArrayList<>();
        if (!firm.isEmpty()) {
            lines.add("The module must be rebuilt. Check its source for " + members(firm, most));
            if (!possible.isEmpty()) {
                boolean few = all || possible.size() <= MOST_PLACES;
                lines.add("The source may also need a change if it uses "
                        + (few ? members(possible, most) : Numbers.of(possible.size(), "member") + " (-v)"));
            }
        } else if (!possible.isEmpty()) {
            lines.add("The module must be rebuilt; its source may need a change if it uses " + members(possible, most));
        } else {
            lines.add("The module must be rebuilt; "
                    + (difference.explained() < difference.changed().size()
                            ? "whether its source needs a change is not known"
                            : "its source probably needs no change"));
        }
        if (!driver.typed()) {
            String why = driver.unusable();
            lines.add((why == null
                            ? "The module has no types (BTF) for the older kernel: weaklink"
                            : "The module's " + Escape.text(why) + ". So weaklink")
                    + " recognises tables of callbacks only by their sizes, pointer offsets and names, and does"
                    + " not know which types the module's structs contain");
        }
        return lines;
    }

    /**
     * Joins the names of members and omits a repeated type name, such as "file_operations.open, .read, inode.i_mtime".
     */
    private static String members(List<String> members, int most) {
        List<String> names = new ArrayList<>();
        String type = "";
        for (String member : members) {
            int dot = member.indexOf('.');
            names.add(dot > 0 && member.substring(0, dot).equals(type) ? member.substring(dot) : member);
            type = member.substring(0, Math.max(dot, 0));
        }
        return some(names, most) + (names.size() > most ? " (-v)" : "");
    }

    private static String some(List<String> names, int most) {
        int shown = Math.min(most, names.size());
        String text = Escape.text(String.join(", ", names.subList(0, shown)));
        return names.size() > shown ? text + " and " + (names.size() - shown) + " more" : text;
    }
}
