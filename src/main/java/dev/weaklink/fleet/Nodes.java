package dev.weaklink.fleet;

import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * Some nodes, each once.
 *
 * @param folded in ClusterShell's notation, {@code cn[001-412]}; empty if there are none
 * @param count how many there are
 */
public record Nodes(String folded, int count) {
    /** No nodes. */
    public static final Nodes NONE = new Nodes("", 0);

    /**
     * Folds names; the order does not matter, and one given twice counts once.
     *
     * @throws IllegalArgumentException if one cannot be a node's name
     */
    public static Nodes of(Collection<String> names) {
        if (names.isEmpty()) {
            return NONE;
        }
        Collection<String> distinct = new TreeSet<>(names);
        return new Nodes(NodeSet.fold(distinct), distinct.size());
    }

    /**
     * Reads a set.
     *
     * @throws UnreadableException if the text is none
     */
    public static Nodes parse(String folded) throws UnreadableException {
        return folded.isEmpty() ? NONE : of(NodeSet.expand(folded));
    }

    /** These and others. */
    public Nodes and(Nodes other) {
        return isEmpty() || other.isEmpty() ? isEmpty() ? other : this : union(List.of(this, other));
    }

    /** All of them. */
    public static Nodes union(List<Nodes> parts) {
        if (parts.size() == 1) {
            return parts.get(0);
        }
        List<String> all = new ArrayList<>();
        for (Nodes part : parts) {
            all.addAll(part.names());
        }
        return of(all);
    }

    /** Whether there are none. */
    public boolean isEmpty() {
        return count == 0;
    }

    /** Their names, sorted, 9 before 10. */
    public List<String> names() {
        try {
            return folded.isEmpty() ? List.of() : NodeSet.expand(folded);
        } catch (UnreadableException e) {
            throw new IllegalStateException("not a set of nodes: " + folded, e);
        }
    }
}
