package dev.weaklink.fleet.report;

import dev.weaklink.fleet.Nodes;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Numbers;
import dev.weaklink.sys.UnreadableException;

/** Shortens node sets to the width of a line, and counts the nodes left out. */
final class ShortenedNodes {
    private static final int REST = 24;

    private static final int SHORTEST = 16;

    private final TableOptions options;

    ShortenedNodes(TableOptions options) {
        this.options = options;
    }

    /**
     * Returns the text of a set of nodes for the rest of a line. A set that does not fit is shortened if this makes the
     * text shorter. Verbose output is not shortened.
     *
     * @param before the number of columns before the set
     */
    String text(Nodes nodes, int before) {
        String folded = nodes.folded();
        if (options.verbose() || nodes.count() < 2 || before + folded.length() <= options.columns()) {
            return folded;
        }
        int room = Math.max(SHORTEST, options.columns() - before - REST);
        int end = folded.lastIndexOf(',', Math.min(room, folded.length() - 1));
        String shown = end < 0 ? nodes.names().get(0) : closed(folded, end);
        int left = nodes.count() - count(shown);
        String cut = shown + " … and " + Numbers.grouped(left) + " more (-v)";
        return left == 0 || cut.length() >= folded.length() ? folded : cut;
    }

    private static String closed(String folded, int end) {
        String shown = folded.substring(0, end);
        if (shown.lastIndexOf('[') <= shown.lastIndexOf(']')) {
            return shown;
        }
        int close = folded.indexOf(']', end);
        int next = folded.indexOf(',', close);
        return shown + folded.substring(close, next < 0 ? folded.length() : next);
    }

    private static int count(String shown) {
        try {
            return Nodes.parse(shown).count();
        } catch (UnreadableException e) {
            throw new IllegalStateException("not a set of nodes: " + shown, e);
        }
    }
}
