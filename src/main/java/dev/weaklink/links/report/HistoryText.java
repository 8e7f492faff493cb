package dev.weaklink.links.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.links.transaction.HistoryEntry;
import dev.weaklink.links.transaction.HistoryEntry.TransactionState;
import dev.weaklink.links.transaction.PathChange;
import dev.weaklink.links.transaction.PathChange.PathState;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.WeakUpdates;
import java.io.IOException;
import java.io.OutputStream;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

public final class HistoryText {
    private static final String MODULES = "lib/modules/";

    /** The directory names that belong to the layout of a module tree and do not name a driver. */
    private static final Set<String> LAYOUT = Set.of("extra", "updates", WeakUpdates.NAME);

    private static final List<String> KINDS = List.of("made", "replaced", "removed");

    private HistoryText() {}

    public static String line(HistoryEntry entry) {
        return entry.number()
                + "  "
                + entry.time().truncatedTo(ChronoUnit.SECONDS)
                + "  "
                + words(entry.state())
                + "  +"
                + entry.made()
                + " -"
                + entry.removed()
                + " ~"
                + entry.replaced()
                + "  "
                + Escape.text(entry.title())
                + (entry.undoes() > 0 ? " (undoes " + entry.undoes() + ")" : "")
                + installed(entry)
                + "\n";
    }

    private static String installed(HistoryEntry entry) {
        return entry.installed().isEmpty() || entry.undoes() > 0
                ? ""
                : " (installed " + Escape.text(String.join(", ", entry.installed())) + ")";
    }

    /**
     * Returns the numbers of changes of a transaction by kernel and directory, such as {@code K: demo: 2 links made}.
     *
     * @param kernels the kernels for which depmod ran
     */
    public static String summary(List<PathChange> changes, List<String> kernels) {
        Map<String, int[]> counts = new TreeMap<>();
        Set<String> quiet = new TreeSet<>(kernels);
        for (PathChange change : changes) {
            if (!change.isDirectory()) {
                String place = "/etc/depmod.d";
                int modules = change.path().indexOf(MODULES);
                if (modules >= 0) {
                    String[] names = change.path().substring(modules).split("/", -1);
                    quiet.remove(names[2]);
                    place = names[2] + ": " + group(names);
                }
                counts.computeIfAbsent(place, key -> new int[2 * KINDS.size()])[kind(change)]++;
            }
        }
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, int[]> entry : counts.entrySet()) {
            text.append(Escape.text(entry.getKey())).append(": ");
            text.append(words(entry.getValue())).append('\n');
        }
        for (String kernel : quiet) {
            text.append(Escape.text(kernel)).append(": depmod run, no link changed\n");
        }
        return text.toString();
    }

    private static String group(String[] names) {
        int first = 3;
        while (first < names.length - 1 && LAYOUT.contains(names[first])) {
            first++;
        }
        return first < names.length - 1 ? names[first] : ModuleNames.ofFile(names[names.length - 1]);
    }

    private static int kind(PathChange change) {
        int first = change.isFile() ? KINDS.size() : 0;
        if (change.before() instanceof PathState.Absent) {
            return first;
        }
        return first + (change.after() instanceof PathState.Absent ? 2 : 1);
    }

    private static String words(int[] counts) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] > 0) {
                words.append(words.length() == 0 ? "" : ", ");
                words.append(Numbers.of(counts[i], i < KINDS.size() ? "link" : "file"));
                words.append(' ').append(KINDS.get(i % KINDS.size()));
            }
        }
        return words.toString();
    }

    public static String changes(HistoryEntry entry) {
        StringBuilder text = new StringBuilder();
        for (PathChange change : entry.changes()) {
            append(text, change);
        }
        return text.toString();
    }

    public static String changesToUndo(HistoryEntry entry) {
        StringBuilder text = new StringBuilder();
        for (PathChange change : entry.changes()) {
            append(text, new PathChange(change.path(), change.after(), change.before()));
        }
        return text.toString();
    }

    public static void write(List<HistoryEntry> entries, List<Object> rebuilds, OutputStream out) throws IOException {
        JsonOutput.writeLine(
                object(
                        "schema",
                        "weaklink.history/1",
                        "transactions",
                        list(entries, HistoryText::json),
                        "rebuilds",
                        rebuilds),
                out);
    }

    private static Object json(HistoryEntry entry) {
        return object(
                "number", entry.number(),
                "time", entry.time().truncatedTo(ChronoUnit.SECONDS).toString(),
                "state", words(entry.state()),
                "command", entry.title(),
                "undoes", entry.undoes() > 0 ? entry.undoes() : null,
                "kernels", entry.kernels(),
                "installed", entry.installed(),
                "problem", entry.problem(),
                "changes", list(entry.changes(), HistoryText::json));
    }

    private static Object json(PathChange change) {
        return object("path", change.path(), "before", json(change.before()), "after", json(change.after()));
    }

    private static @Nullable Object json(PathState state) {
        if (state instanceof PathState.File file) {
            return object("sha256", file.sha256());
        }
        if (state instanceof PathState.Directory) {
            return object("directory", true);
        }
        return state instanceof PathState.Link link ? object("link", link.target()) : null;
    }

    private static void append(StringBuilder text, PathChange change) {
        if (!change.isDirectory()) {
            text.append("    ").append(Escape.text(change.path())).append(": ");
            text.append(words(change.before())).append(" => ").append(words(change.after()));
            text.append('\n');
        }
    }

    private static String words(PathState state) {
        if (state instanceof PathState.File file) {
            return file.lines() > 0
                    ? Numbers.of(file.lines(), "line")
                    : "file sha256:" + file.sha256().substring(0, 12);
        }
        return state instanceof PathState.Link link ? Escape.text(link.target()) : "none";
    }

    private static String words(TransactionState state) {
        return switch (state) {
            case DONE -> "done";
            case ROLLED_BACK -> "taken back";
            case UNFINISHED -> "interrupted";
        };
    }
}
