package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.NodeSet;
import dev.weaklink.fleet.Nodes;
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
 * Collects the inventories of nodes, and passes each node to the visitor once. Equal inventories become one object. If
 * the inventories of a node differ, the node is not passed on, because neither can be trusted. If the input also
 * contains a failure of a node, the node's inventory counts only if no other node can have printed it.
 */
final class NodeCollector {
    private static final long MAX_DIFFERENT = 1L << 29;

    private static final int SHOWN = 120;

    private final NodeVisitor visitor;
    private final Map<String, NodeAnswer> answers = new LinkedHashMap<>();
    private final Map<NodeInventory, NodeInventory> distinct = new HashMap<>();
    private final ModuleTables tables = new ModuleTables();
    private final LineCache lines = new LineCache();
    private final Set<NodeInventory> taken = Collections.newSetFromMap(new IdentityHashMap<>());
    private String file = "";
    private long different;

    private final MissingNodes missing;
    private @Nullable InputProblem firstText;
    private long texts;

    NodeCollector(NodeVisitor visitor, Set<String> expected) {
        this.visitor = visitor;
        this.missing = new MissingNodes(expected);
    }

    MissingNodes missing() {
        return missing;
    }

    /** Records a line that is neither an inventory nor a message about a node, such as a banner. */
    void text(long line, String text) {
        if (texts++ == 0) {
            firstText = at(line, "is not a node's inventory: " + shortened(text));
        }
    }

    void finishTexts() {
        if (firstText != null) {
            String more = texts == 1 ? "" : " (and " + (texts - 1) + (texts == 2 ? " other line)" : " other lines)");
            InputProblem all = new InputProblem(firstText.subject(), firstText.message() + more);
            // Such lines cannot hide a lost node if all expected nodes are known.
            if (missing.isComplete()) {
                visitor.remark(all);
            } else {
                visitor.problem(all);
            }
        }
        firstText = null;
        texts = 0;
    }

    ModuleTables tables() {
        return tables;
    }

    LineCache lines() {
        return lines;
    }

    void begin(String name) {
        file = name;
    }

    /**
     * Adds an inventory.
     *
     * @param asked the names by which the transport addressed the nodes; several names if the output of several nodes
     *     was equal and is printed once
     * @param isCertain whether the names in {@code asked} are reliable, because no other node can have forged them
     * @param fallback the name if nothing else names the node, or null
     */
    void accept(NodeLine found, List<String> asked, boolean isCertain, @Nullable String fallback, long line) {
        List<String> names = names(found.node(), asked, fallback);
        if (names.isEmpty()) {
            problem(line, "no name for this node, so its inventory is skipped; collect it again with --name=NAME");
            return;
        }
        if (!NodeSet.isName(names.get(0))) {
            problem(line, "not a node's name: " + shortened(names.get(0)));
            return;
        }
        boolean isNamed = isCertain && asked.equals(names) || names.get(0).equals(fallback);
        NodeInventory inventory = distinct(found);
        if (inventory == null) {
            problem(
                    line,
                    "skipped, because different inventories together exceed the limit of " + (MAX_DIFFERENT >> 20)
                            + " MiB; audit fewer nodes at once");
        }
        for (String name : names) {
            accept(name, inventory, isNamed, line);
        }
    }

    NodeLine shared(NodeLine line) {
        NodeInventory known = distinct.get(line.inventory());
        return known == null ? line : new NodeLine(line.node(), known, line.length(), line.end());
    }

    /**
     * Returns the object that represents all equal inventories; null if the different inventories exceed
     * {@link #MAX_DIFFERENT} bytes in total.
     */
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
     * Returns the names of the nodes that have this inventory; empty if no name is known. Several names of the
     * transport always count. A single name of the transport counts if the node reports no name, or if {@link #isMeant}
     * prefers the transport's name. All nodes may run one image, and then report one name. Otherwise, the node's own
     * name counts. The fallback counts if neither the transport nor the node names the node.
     *
     * @param own the name that the node reports, or null
     * @param asked the names that the transport gives
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

    void damaged(List<String> nodes, UnreadableException damage, long line) {
        String of = nodes.size() == 1 ? "node " + nodes.get(0) + ": " : "";
        problem(line, of + damage.getMessage() + "; skipped");
        missing.add(nodes, NodeLine.failure(damage), true);
    }

    private void accept(String name, @Nullable NodeInventory inventory, boolean isCertain, long line) {
        NodeAnswer first = answers.get(name);
        if (first == null && inventory != null) {
            if (answers.size() == Nodes.MAX) {
                problem(
                        line,
                        "node " + name + " is skipped, because at most " + Nodes.MAX
                                + " nodes are read; audit fewer nodes at once");
            } else {
                answers.put(name, new NodeAnswer(file, line, inventory, isCertain));
            }
        } else if (first != null && first.inventory != inventory) {
            if (!first.isContradicted) {
                problem(
                        line,
                        "node " + name + ": two inventories differ; the other is at " + first.place()
                                + "; neither is used");
            }
            first.isContradicted = true;
        } else if (first != null) {
            first.isCertain |= isCertain;
        }
    }

    private static final class NodeAnswer {
        private final String file;
        private final long line;
        final NodeInventory inventory;

        /** Tells whether no other node can have printed the inventory under this name. */
        boolean isCertain;

        boolean isContradicted;

        NodeAnswer(String file, long line, NodeInventory inventory, boolean isCertain) {
            this.file = file;
            this.line = line;
            this.inventory = inventory;
            this.isCertain = isCertain;
        }

        String place() {
            return NodeCollector.place(file, line);
        }
    }

    void finish() {
        answers.forEach((name, answer) -> {
            String failure = answer.isCertain ? null : missing.failure(name);
            if (answer.isContradicted) {
                missing.contradicted(name);
            } else if (failure != null) {
                String message =
                        "node " + name + ": the input also contains a message that this node failed (" + failure + ")";
                visitor.problem(new InputProblem(answer.place(), message + "; this inventory is not used"));
            } else {
                missing.answered(name);
                hand(name, answer);
            }
        });
    }

    private void hand(String name, NodeAnswer answer) {
        try {
            visitor.node(name, answer.inventory);
        } catch (RuntimeException e) {
            // An internal error must not affect the other nodes.
            visitor.problem(new InputProblem(answer.place(), "node " + name + ": internal error: " + e + "; skipped"));
        }
    }

    void problem(long line, String message) {
        visitor.problem(at(line, message));
    }

    private InputProblem at(long line, String message) {
        return new InputProblem(place(file, line), message);
    }

    private static String place(String file, long line) {
        return line == 0 ? file : file + ":" + line;
    }

    static String shortened(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN) + "…";
    }
}
