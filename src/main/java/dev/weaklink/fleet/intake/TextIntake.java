package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.NodeSet;
import dev.weaklink.fleet.intake.MissingNodes.Failure;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.sys.UnreadableException.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What programs that ask many nodes print. An inventory is recognised wherever it stands in a line. Where it does not
 * name its node, the text before it does, the set of nodes between two rules of hyphens above it ({@code clush -b},
 * {@code dshbak}), or a heading.
 */
final class TextIntake {
    /** clush draws 15 hyphens, dshbak 16. */
    private static final String RULE = "-".repeat(15);

    /** More nodes in all blocks are not taken in: what one node prints must not cost hours. */
    private static final int MAX_NAMED = 4 * NodeCollector.MAX_NODES;

    /** What is longer without an inventory says no more in its rest. */
    private static final int MAX_WORDS = 4096;

    /** Of a larger block no text is kept for each of its nodes. */
    private static final int MAX_TOLD = 4096;

    /** Damaged inventories in one line that are looked behind. */
    private static final int MAX_DAMAGED = 16;

    /** What Ansible has between a host, its state, and more. */
    private static final String BAR = " | ";

    private static final String STDOUT = "(stdout)";
    private static final String MARKS = "=#*->+~";

    private final NodeCollector collector;
    private final Lines lines;
    private final @Nullable String fallback;

    /** The nodes of the block we are in; empty outside of blocks. */
    private List<String> block = List.of();

    /** Whether we are in a block whose nodes are not known. */
    private boolean isBlockUnknown;

    /** What the last heading had before and behind the name; null in a block that is certain. */
    private @Nullable String style;

    /** Whether a rule was read, so that a set of nodes may follow. */
    private boolean isOpen;

    /** What stands below a rule and is a set of nodes if another rule follows. */
    private @Nullable String set;

    /** Whether an inventory of the block was damaged. */
    private boolean isBlockDamaged;

    private int named;

    /** @param fallback the node's name if nothing else names it, or null */
    TextIntake(NodeCollector collector, Lines lines, @Nullable String fallback) {
        this.collector = collector;
        this.lines = lines;
        this.fallback = fallback;
    }

    /** Reads lines to the end; problems with a line are reported and the next is read. */
    void read() throws IOException {
        while (lines.next()) {
            if (lines.isTooLong()) {
                collector.problem(lines.number(), "longer than a node's line can be; skipped");
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

    /** A line without an inventory: a rule, a set of nodes between two, or words. */
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
        // What was printed last without a line feed.
        readWords(text.substring(0, end), true);
        isOpen = true;
    }

    /** What was not a heading after all is words. */
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
            collector.problem(lines.number(), "too many nodes in blocks; skipped");
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
            // Behind the whole of a long text, what looks like a name is a part of that text.
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
                        next < 0 ? e : new UnreadableException(Kind.CONTENTS, NodeLine.CUT_SHORT),
                        lines.number());
                from = next < 0 ? length : next;
            } catch (RuntimeException e) {
                // A mistake of this program: it must not cost the other nodes.
                String of = node == null ? "" : "node " + node + ": ";
                collector.problem(lines.number(), of + "internal error: " + e + "; skipped");
                from = length;
            }
        }
        String rest = text(bytes, from, length).strip();
        // What Ansible has behind a node's line is not another's.
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
        NodeLine line = NodeLine.parse(bytes, at, length, collector.tables());
        if (line.end() == length) {
            cache.keep(bytes, at, length - at, line);
        }
        return line;
    }

    private DocumentIntake document() {
        return new DocumentIntake(collector, lines, fallback, isOfTransport());
    }

    /**
     * Returns whether the program that asked the nodes began this line. In a block, and in a file of one node, a node
     * prints whole lines, which may be anything.
     */
    private boolean isOfTransport() {
        return !isBlockUnknown && block.isEmpty() && fallback == null;
    }

    /** {@code isCertain}: whether a name in the text can be nothing that another node printed. */
    private void accept(NodeLine line, String text, boolean isCertain) {
        Before before = Before.of(text, line.node());
        readWords(before.words, false);
        List<String> asked = before.node == null ? block : List.of(before.node);
        boolean isNamed = line.node() != null || before.node != null;
        if (!isNamed && !before.words.isEmpty()) {
            String shown = NodeCollector.shortened(text);
            collector.problem(lines.number(), "unexpected text before the inventory: " + shown);
        } else if (!isNamed && isBlockUnknown) {
            collector.problem(lines.number(), "block without a valid node set; skipped");
        } else {
            collector.accept(line, asked, isCertain, fallback, lines.number());
        }
    }

    /**
     * What stands before an inventory.
     *
     * @param node {@code cn1: } by clush and pdsh, with a tab by GNU parallel, {@code cn1 | CHANGED | rc=0 | (stdout) }
     *     by Ansible; null for a number of srun, a pod of kubectl, or words
     * @param words that say something else
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
            // pdsh begins a node's line where another's words have no line feed.
            return own != null && name.endsWith(own)
                    ? new Before(null, name.substring(0, name.length() - own.length()))
                    : new Before(null, text);
        }

        private static boolean isNumber(String name) {
            return name.chars().allMatch(c -> c >= '0' && c <= '9');
        }
    }

    /** Nodes that an inventory without a name is of; of a large block once. */
    private List<String> damaged() {
        List<String> nodes = isBlockDamaged ? told() : block;
        isBlockDamaged = true;
        return nodes;
    }

    /** Nodes that lines without a name are of. */
    private List<String> told() {
        return block.size() <= MAX_TOLD ? block : List.of();
    }

    /**
     * Words: a node's name above others, a message about nodes, or some text.
     *
     * @param isLine whether they are all of a line, and so reported if they say nothing
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
        missing.add(told(), what, style == null || what.kind() == Failure.Kind.CAUSE);
        if (isLine && (what.kind() == Failure.Kind.TEXT || !isNamed && told().isEmpty())) {
            collector.text(lines.number(), text.strip());
        }
    }

    private static boolean isNode(String text) {
        return NodeSet.isName(text) && !text.equals("ssh");
    }

    /** Whether a line has a node's name above what the node printed, which is then the block. */
    private boolean isHeading(String line) {
        int bar = line.indexOf(BAR);
        if (bar > 0 && NodeSet.isName(line.substring(0, bar))) {
            return isAnsibles(line.substring(0, bar), line.substring(bar + BAR.length()));
        }
        // "== cn1", "### cn1 ###", or as Salt has it "cn1:"
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

    /** {@code CHANGED | rc=0 >>}, or {@code UNREACHABLE!: } and why. */
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
