package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.NodeSet;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.fleet.intake.MissingNodes.Failure;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.UnreadableKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of programs that query many nodes. An inventory may start anywhere in a line. The name that the
 * program uses for the node is in the text before the inventory, in a heading, or in a set of nodes between two lines
 * of hyphens ({@code clush -b}, {@code dshbak}). A block is a heading or such a set of nodes, with the lines below it.
 */
final class TextIntake {
    /** The shortest line of hyphens: clush prints 15 hyphens, dshbak 16. */
    private static final String RULE = "-".repeat(15);

    /**
     * The number of named nodes after which further sets of nodes are skipped. A node's output could contain many
     * forged sets.
     */
    private static final int MAX_NAMED = 4 * Nodes.MAX;

    /** The maximum number of bytes read from a piece of text outside of inventories. */
    private static final int MAX_WORDS = 4096;

    /** The maximum number of nodes in a block whose messages are recorded for these nodes. */
    private static final int MAX_TOLD = 4096;

    private static final int MAX_DAMAGED = 16;

    private static final String BAR = " | ";

    private static final String STDOUT = "(stdout)";
    private static final String MARKS = "=#*->+~";

    private final NodeCollector collector;
    private final LineReader lines;
    private final @Nullable String fallback;

    private List<String> block = List.of();

    private boolean isBlockUnknown;

    /**
     * The last heading with {@code @} in place of the node name, such as {@code ==@}. The next heading must have the
     * same form. Null before the first heading, after a set of nodes, and after a heading of Ansible.
     */
    private @Nullable String style;

    /** Tells whether a line of hyphens was read, so that a set of nodes may follow. */
    private boolean isOpen;

    /** The line after a line of hyphens; the line is a set of nodes if another line of hyphens follows. */
    private @Nullable String set;

    private boolean isBlockDamaged;

    private int named;

    TextIntake(NodeCollector collector, LineReader lines, @Nullable String fallback) {
        this.collector = collector;
        this.lines = lines;
        this.fallback = fallback;
    }

    void read() throws IOException {
        while (lines.next()) {
            if (lines.isTooLong()) {
                collector.problem(
                        lines.number(),
                        "skipped, because the line is longer than the limit of " + lines.maxLength() + " bytes");
            } else {
                readLine(lines.bytes(), lines.length());
            }
        }
        endHeading();
        collector.finishTexts();
    }

    private void readLine(byte[] bytes, int whole) throws IOException {
        int length = whole;
        while (length > 0 && (isBlank(bytes[length - 1]) || bytes[length - 1] == '\r')) {
            length--;
        }
        int start = 0;
        while (start < length && isBlank(bytes[start])) {
            start++;
        }
        int inventory = NodeLine.next(bytes, start, length);
        if (inventory >= 0) {
            endHeading();
            readInventories(bytes, start, inventory, length);
        } else if (start < length) {
            String text = text(bytes, start, length);
            int result = text.contains(BAR) ? text.indexOf(" => {") : -1;
            if (bytes[start] == '{') {
                endHeading();
                document().read(start, style == null ? damaged() : List.of());
            } else if (result > 0 && NodeSet.isName(text.substring(0, text.indexOf(BAR)))) {
                endHeading();
                document().read(brace(bytes, start), text.substring(0, text.indexOf(BAR)));
            } else {
                readText(text);
            }
        }
    }

    private static int brace(byte[] bytes, int start) {
        int at = start;
        while (bytes[at] != '{') {
            at++;
        }
        return at;
    }

    private void readText(String text) {
        if (!text.endsWith(RULE)) {
            if (isOpen && isSet(text)) {
                isOpen = false;
                set = text;
            } else {
                endHeading();
                readWords(text, true);
            }
            return;
        }
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == '-') {
            end--;
        }
        if (end == 0 && set != null) {
            enter(set);
            set = null;
            return;
        }
        endHeading();
        // Any text before the hyphens is a node's output that did not end with a line feed.
        readWords(text.substring(0, end), true);
        isOpen = true;
    }

    private void endHeading() {
        String words = set;
        isOpen = false;
        set = null;
        if (words != null) {
            readWords(words, true);
        }
    }

    private static String withoutCount(String set) {
        int count = set.indexOf(" (");
        return (count < 0 ? set : set.substring(0, count)).strip();
    }

    private static boolean isSet(String text) {
        return withoutCount(text).chars().noneMatch(c -> c == ' ' || c == '"');
    }

    private void enter(String nodes) {
        block = List.of();
        style = null;
        isBlockUnknown = true;
        isBlockDamaged = false;
        if (named > MAX_NAMED) {
            collector.problem(
                    lines.number(),
                    "skipped, because all headings together name more than " + MAX_NAMED
                            + " nodes; audit fewer files at once");
            return;
        }
        try {
            block = NodeSet.expand(withoutCount(nodes));
            named += block.size();
            isBlockUnknown = false;
        } catch (UnreadableException e) {
            collector.problem(lines.number() - 1, "not a set of nodes: " + e.reason());
        }
    }

    private void readInventories(byte[] bytes, int start, int first, int length) {
        int from = start;
        int damaged = 0;
        for (int at = first; at >= 0; at = NodeLine.next(bytes, from, length)) {
            // The end of a long text may look like a name but is not one.
            String before = (at - from > MAX_WORDS ? "… " : "")
                    + text(bytes, Math.max(from, at - MAX_WORDS), at).strip();
            String node = Before.of(before, null).node;
            try {
                NodeLine line = parse(bytes, at, length);
                accept(line, before, at == first && isOfTransport());
                from = line.end();
            } catch (UnreadableException e) {
                int next = damaged++ < MAX_DAMAGED ? NodeLine.next(bytes, at + 1, length) : -1;
                collector.damaged(
                        node == null ? damaged() : List.of(node),
                        next < 0 ? e : new UnreadableException(UnreadableKind.CONTENTS, NodeLine.CUT_SHORT),
                        lines.number());
                from = next < 0 ? length : next;
            } catch (RuntimeException e) {
                // An internal error must not affect the other nodes.
                String of = node == null ? "" : "node " + node + ": ";
                collector.problem(lines.number(), of + "internal error: " + e + "; skipped");
                from = length;
            }
        }
        String rest = text(bytes, from, length).strip();
        // Ansible appends the rest of the same node's output to the inventory; this rest is ignored.
        if (!rest.startsWith("\\n") && !rest.startsWith("\\r\\n") && !rest.startsWith("(stderr)")) {
            readText(rest);
        }
    }

    private NodeLine parse(byte[] bytes, int at, int length) throws UnreadableException {
        LineCache cache = collector.lines();
        NodeLine known = cache.find(bytes, at, length - at);
        if (known != null) {
            return known;
        }
        NodeLine line = collector.shared(NodeLine.parse(bytes, at, length, collector.tables()));
        if (line.end() == length) {
            cache.keep(bytes, at, length - at, line);
        }
        return line;
    }

    private DocumentIntake document() {
        return new DocumentIntake(collector, lines, fallback, isOfTransport());
    }

    /**
     * Returns whether the transport program printed the start of this line. In a block, or in a file of one node, the
     * node's own output fills whole lines, which may contain anything.
     */
    private boolean isOfTransport() {
        return !isBlockUnknown && block.isEmpty() && fallback == null;
    }

    /**
     * Adds an inventory.
     *
     * @param text the text directly before the inventory in its line
     * @param isCertain whether the transport printed the text, so that no other node can have forged the name in it
     */
    private void accept(NodeLine line, String text, boolean isCertain) {
        Before before = Before.of(text, line.node());
        readWords(before.words, false);
        List<String> asked = before.node == null ? block : List.of(before.node);
        boolean isNamed = line.node() != null || before.node != null;
        if (!isNamed && !before.words.isEmpty()) {
            String shown = NodeCollector.shortened(text);
            collector.problem(lines.number(), "unexpected text before the inventory: " + shown);
        } else if (!isNamed && isBlockUnknown) {
            collector.problem(
                    lines.number(),
                    "inventory skipped, because the node names in the heading above it could not be used");
        } else {
            collector.accept(line, asked, isCertain, fallback, lines.number());
        }
    }

    /**
     * The text before an inventory.
     *
     * @param node the node's name, as in {@code cn1: } of clush, pdsh and GNU parallel, or in Ansible's {@code cn1 |
     *     CHANGED | rc=0 | (stdout) }; null if the text names no node
     * @param words any other text; empty for a name, a task number of srun or a pod of kubectl
     */
    private record Before(@Nullable String node, String words) {
        static Before of(String text, @Nullable String own) {
            int bar = text.indexOf(BAR);
            if (bar > 0 && NodeSet.isName(text.substring(0, bar))) {
                return new Before(text.substring(0, bar), "");
            }
            String name = text.endsWith(":") ? text.substring(0, text.length() - 1) : text;
            if (name.isEmpty() || isNumber(name) || text.startsWith("[pod/")) {
                return new Before(null, "");
            }
            if (NodeSet.isName(name)) {
                return new Before(name, "");
            }
            // pdsh starts a node's line directly after another node's text that lacks a line feed.
            return own != null && name.endsWith(own)
                    ? new Before(null, name.substring(0, name.length() - own.length()))
                    : new Before(null, text);
        }

        private static boolean isNumber(String name) {
            return name.chars().allMatch(c -> c >= '0' && c <= '9');
        }
    }

    private List<String> damaged() {
        List<String> nodes = isBlockDamaged ? told() : block;
        isBlockDamaged = true;
        return nodes;
    }

    private List<String> told() {
        return block.size() <= MAX_TOLD ? block : List.of();
    }

    /**
     * Reads text without an inventory: a node's heading, a message about nodes, or other text.
     *
     * @param isLine whether the text is a whole line; a whole line without a known meaning is reported
     */
    private void readWords(String words, boolean isLine) {
        String text = words.strip();
        int pdsh = text.indexOf("pdsh@", 1);
        while (pdsh > 0) {
            readWord(text.substring(0, pdsh), isLine);
            text = text.substring(pdsh);
            pdsh = text.indexOf("pdsh@", 1);
        }
        readWord(text, isLine);
    }

    private void readWord(String text, boolean isLine) {
        if (text.isBlank() || text.equals(DocumentIntake.OF_CODE) || isLine && isHeading(text)) {
            return;
        }
        MissingNodes missing = collector.missing();
        Failure failure = missing.named(text, !told().isEmpty());
        if (failure != null) {
            missing.add(failure.nodes(), failure, true);
            return;
        }
        int colon = text.indexOf(": ");
        boolean isNamed = colon > 0 && isNode(text.substring(0, colon));
        String said = isNamed ? text.substring(colon + 2) : text;
        if (Failure.isWarning(said) || Failure.isWarning(text)) {
            return;
        }
        UnreadableException damage = isLine ? NodeLine.damage(said) : null;
        if (damage != null) {
            List<String> nodes = isNamed ? List.of(text.substring(0, colon)) : damaged();
            collector.damaged(nodes, damage, lines.number());
            return;
        }
        Failure what = Failure.of(said);
        if (isNamed) {
            missing.add(List.of(text.substring(0, colon)), what, false);
        }
        missing.add(told(), what, style == null || what.kind() == Failure.FailureKind.CAUSE);
        if (isLine && (what.kind() == Failure.FailureKind.TEXT || !isNamed && told().isEmpty())) {
            collector.text(lines.number(), text.strip());
        }
    }

    private static boolean isNode(String text) {
        return NodeSet.isName(text) && !text.equals("ssh");
    }

    private boolean isHeading(String line) {
        int bar = line.indexOf(BAR);
        if (bar > 0 && NodeSet.isName(line.substring(0, bar))) {
            return isAnsibles(line.substring(0, bar), line.substring(bar + BAR.length()));
        }
        // "== cn1", "### cn1 ###", or Salt's "cn1:"
        int start = 0;
        while (start < line.length() && MARKS.indexOf(line.charAt(start)) >= 0) {
            start++;
        }
        int end = line.length();
        while (end > start && (MARKS + " :").indexOf(line.charAt(end - 1)) >= 0) {
            end--;
        }
        String name = line.substring(start, end).strip();
        String around = line.substring(0, start) + "@" + line.substring(end);
        boolean isMarked = start >= 2 || around.equals("@:");
        boolean isHeading = isMarked && NodeSet.isName(name) && (style == null || style.equals(around));
        if (isHeading) {
            enterOne(name, around);
        }
        return isHeading;
    }

    /**
     * Reads the part of Ansible's heading after the node name, such as {@code CHANGED | rc=0 >>}. Returns false if the
     * part does not start with SUCCESS, CHANGED, FAILED or UNREACHABLE.
     */
    private boolean isAnsibles(String node, String state) {
        boolean failed = state.startsWith("FAILED") || state.startsWith("UNREACHABLE");
        if (!failed && !state.startsWith("CHANGED") && !state.startsWith("SUCCESS")) {
            return false;
        }
        int stdout = state.indexOf(STDOUT);
        String why = stdout < 0 ? "printed nothing" : state.substring(stdout + STDOUT.length());
        enterOne(node, null);
        Failure failure = Failure.of(failed ? state.replace(" >>", "") : why);
        collector.missing().add(block, failure, true);
        return true;
    }

    private void enterOne(String node, @Nullable String around) {
        block = List.of(node);
        isBlockDamaged = false;
        style = around;
        isBlockUnknown = false;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t';
    }

    private static String text(byte[] bytes, int start, int end) {
        int limit = Math.min(end, start + MAX_WORDS);
        return new String(bytes, start, limit - start, StandardCharsets.UTF_8);
    }
}
