package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.NodeSet;
import dev.weaklink.fleet.intake.Intake.NodeVisitor;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.UnreadableException;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the inventories of nodes and hands on each node once. Equal inventories become one object. A node of which
 * different inventories were read is not handed on: neither can be believed.
 */
final class NodeCollector {
    /** However many nodes a folded block claims to be of. */
    static final int MAX_NODES = 1 << 20;

    /** Bytes of lines that differ and are kept as facts. */
    private static final long MAX_DIFFERENT = 1L << 29;

    private static final int SHOWN = 120;

    private final NodeVisitor visitor;
    private final Map<String, Answer> answers = new LinkedHashMap<>();
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
        this.missing = new MissingNodes(expected);
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
     * Gathers one inventory.
     *
     * @param asked the names by which its nodes were asked, more than one for a folded block
     * @param isCertain whether no node but these can have printed these names
     * @param fallback the name if nobody reports one, or null
     */
    void accept(NodeLine found, List<String> asked, boolean isCertain, @Nullable String fallback, long line) {
        List<String> names = names(found.node(), asked, fallback);
        if (names.isEmpty()) {
            problem(line, "no name for this node; collect with --name=NAME");
            return;
        }
        if (!NodeSet.isName(names.get(0))) {
            problem(line, "not a node's name: " + shortened(names.get(0)));
            return;
        }
        boolean isNamed = isCertain && asked.equals(names) || names.get(0).equals(fallback);
        NodeInventory inventory = distinct(found);
        if (inventory == null) {
            problem(line, "too many different nodes; skipped");
        }
        for (String name : names) {
            accept(name, inventory, isNamed, line);
        }
    }

    /** Returns the one object of all inventories that equal this one, or null if there are too many. */
    private @Nullable NodeInventory distinct(NodeLine found) {
        if (taken.contains(found.inventory())) {
            return found.inventory();
        }
        NodeInventory known = distinct.get(found.inventory());
        if (known != null) {
            return known;
        }
        different += found.length();
        if (different > MAX_DIFFERENT) {
            return null;
        }
        distinct.put(found.inventory(), found.inventory());
        taken.add(found.inventory());
        return found.inventory();
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
                || answers.containsKey(own)
                || own.equals("localhost")
                || own.startsWith("localhost.");
    }

    /** Says that an inventory cannot be read, and that its nodes gave none. */
    void damaged(List<String> nodes, UnreadableException damage, long line) {
        String of = nodes.size() == 1 ? "node " + nodes.get(0) + ": " : "";
        problem(line, of + damage.getMessage() + "; skipped");
        missing.add(nodes, NodeLine.failure(damage), true);
    }

    private void accept(String name, @Nullable NodeInventory inventory, boolean isCertain, long line) {
        Answer first = answers.get(name);
        if (first == null && inventory != null) {
            if (answers.size() == MAX_NODES) {
                problem(line, "node " + name + " is one more than " + MAX_NODES + "; skipped");
            } else {
                answers.put(name, new Answer(at(line, "").subject(), inventory, isCertain));
            }
        } else if (first != null && first.inventory != inventory) {
            if (!first.isContradicted) {
                problem(line, "node " + name + ": differs from its answer at " + first.place + "; neither is used");
            }
            first.isContradicted = true;
        } else if (first != null) {
            first.isCertain |= isCertain;
        }
    }

    /** The first answer of a node, and what is known of it from further ones. */
    private static final class Answer {
        final String place;
        final NodeInventory inventory;

        /** Whether no other node can have printed it under this name. */
        boolean isCertain;

        boolean isContradicted;

        Answer(String place, NodeInventory inventory, boolean isCertain) {
            this.place = place;
            this.inventory = inventory;
            this.isCertain = isCertain;
        }
    }

    /** Hands on the nodes whose answers can be believed, in the order of the input, after all input was read. */
    void finish() {
        answers.forEach((name, answer) -> {
            String failure = answer.isCertain ? null : missing.failure(name);
            if (answer.isContradicted) {
                missing.contradicted(name);
            } else if (failure != null) {
                String message = "node " + name + ": an inventory has its name, but the node failed (" + failure + ")";
                visitor.problem(new InputProblem(answer.place, message + "; not used"));
            } else {
                missing.answered(name);
                hand(name, answer);
            }
        });
    }

    private void hand(String name, Answer answer) {
        try {
            visitor.node(name, answer.inventory);
        } catch (RuntimeException e) {
            // A mistake of this program: it must not cost the other nodes.
            visitor.problem(new InputProblem(answer.place, "node " + name + ": internal error: " + e + "; skipped"));
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
