package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.NodeSet;
import dev.weaklink.fleet.intake.Intake.NodeVisitor;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.UnreadableException;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Hands on every node once: the first of a name counts, and equal inventories become one. */
final class NodeCollector {
    /** However many nodes a folded block claims to be of. */
    static final int MAX_NODES = 1 << 20;

    /** Bytes of lines that differ and are kept as facts. */
    private static final long MAX_DIFFERENT = 1L << 29;

    private static final int SHOWN = 120;

    private final NodeVisitor visitor;
    private final Map<String, String> firstPlaces = new HashMap<>();
    private final Map<NodeInventory, NodeInventory> distinct = new HashMap<>();
    private final ModuleTables tables = new ModuleTables();
    private final LineCache lines = new LineCache();
    private final Set<NodeInventory> taken = Collections.newSetFromMap(new IdentityHashMap<>());
    private String file = "";
    private long different;

    private final MissingNodes missing;
    private @Nullable InputProblem firstText;
    private long texts;

    /** {@code expected}: nodes that should answer, empty if that is not known. */
    NodeCollector(NodeVisitor visitor, Set<String> expected) {
        this.visitor = visitor;
        this.missing = new MissingNodes(expected, firstPlaces::containsKey);
    }

    /** Who did not answer. */
    MissingNodes missing() {
        return missing;
    }

    /** A line that is none of a node's and no message about one, such as a banner. */
    void text(long line, String text) {
        if (texts++ == 0) {
            firstText = at(line, "is not a node's inventory: " + shortened(text));
        }
    }

    /** Says once how many such lines there were. */
    void finishTexts() {
        if (firstText != null) {
            String more = texts == 1 ? "" : " (and " + (texts - 1) + (texts == 2 ? " other line)" : " other lines)");
            InputProblem all = new InputProblem(firstText.subject(), firstText.message() + more);
            // Where it is known who should answer, nothing can be lost in them.
            if (missing.isComplete()) {
                visitor.remark(all);
            } else {
                visitor.problem(all);
            }
        }
        firstText = null;
        texts = 0;
    }

    /** The tables that were met so far. */
    ModuleTables tables() {
        return tables;
    }

    /** The lines that were read so far, as far as they are kept. */
    LineCache lines() {
        return lines;
    }

    /** What follows is from this file. */
    void begin(String name) {
        file = name;
    }

    /**
     * One inventory's nodes.
     *
     * @param asked names by which they were asked, more than one for a folded block
     * @param fallback the name if nobody reports one, or null
     */
    void accept(NodeLine found, List<String> asked, @Nullable String fallback, long line) {
        List<String> names = names(found.node(), asked, fallback);
        if (names.isEmpty()) {
            problem(line, "no name for this node; collect without --no-name");
            return;
        }
        if (!NodeSet.isName(names.get(0))) {
            problem(line, "not a node's name: " + shortened(names.get(0)));
            return;
        }
        NodeInventory inventory =
                taken.contains(found.inventory()) ? found.inventory() : distinct.get(found.inventory());
        if (inventory == null) {
            inventory = found.inventory();
            different += found.length();
            if (different > MAX_DIFFERENT) {
                problem(line, "too many different nodes; skipped");
                return;
            }
            distinct.put(inventory, inventory);
            taken.add(inventory);
        }
        for (String name : names) {
            accept(name, inventory, line);
        }
    }

    /**
     * A node's own name counts, unless it is expected, or known but for a domain, by another; or if others have it, as
     * where all nodes run one image.
     */
    private List<String> names(@Nullable String own, List<String> asked, @Nullable String fallback) {
        if (asked.size() > 1 || asked.size() == 1 && (own == null || isMeant(asked.get(0), own))) {
            return asked;
        }
        String name = own == null ? fallback : own;
        return name == null ? List.of() : List.of(name);
    }

    private boolean isMeant(String asked, String own) {
        return missing.expects(asked)
                || own.startsWith(asked + ".")
                || asked.startsWith(own + ".")
                || firstPlaces.containsKey(own)
                || own.equals("localhost")
                || own.startsWith("localhost.");
    }

    /** Says that an inventory cannot be read, and that its nodes gave none. */
    void damaged(List<String> nodes, UnreadableException damage, long line) {
        String of = nodes.size() == 1 ? "node " + nodes.get(0) + ": " : "";
        problem(line, of + damage.getMessage() + "; skipped");
        missing.add(nodes, NodeLine.failure(damage), true);
    }

    private void accept(String name, NodeInventory inventory, long line) {
        String first = firstPlaces.get(name);
        if (first != null) {
            problem(line, "node " + name + " was given before, at " + first + "; skipped");
        } else if (firstPlaces.size() == MAX_NODES) {
            problem(line, "node " + name + " is one more than " + MAX_NODES + "; skipped");
        } else {
            firstPlaces.put(name, at(line, "").subject());
            missing.answered(name);
            visitor.node(name, inventory);
        }
    }

    void problem(long line, String message) {
        visitor.problem(at(line, message));
    }

    /** About a line, counted from 1, or with 0 about the file as a whole. */
    private InputProblem at(long line, String message) {
        return new InputProblem(line == 0 ? file : file + ":" + line, message);
    }

    /** Text from a file, short enough for a message. */
    static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }
}
