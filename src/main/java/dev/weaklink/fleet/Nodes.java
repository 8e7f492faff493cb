package dev.weaklink.fleet;

import dev.weaklink.sys.UnreadableException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * A set of nodes.
 *
 * @param folded the names in ClusterShell's notation, such as {@code cn[001-412]}; empty for the empty set
 * @param count the number of nodes
 */
public record Nodes(String folded, int count) {
    public static final Nodes NONE = new Nodes("", 0);

    public static Nodes of(Collection<String> names) {
        if (names.isEmpty()) {
            return NONE;
        }
        Collection<String> distinct = new LinkedHashSet<>(names);
        return new Nodes(NodeSet.fold(distinct), distinct.size());
    }

    static Nodes ofSorted(List<NodeSet.NodeName> names) {
        return names.isEmpty() ? NONE : new Nodes(NodeSet.foldSorted(names), names.size());
    }

    public static Nodes parse(String folded) throws UnreadableException {
        return folded.isEmpty() ? NONE : of(NodeSet.expand(folded));
    }

    public Nodes and(Nodes other) {
        return isEmpty() || other.isEmpty() ? isEmpty() ? other : this : union(List.of(this, other));
    }

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

    public boolean isEmpty() {
        return count == 0;
    }

    /** Returns the names, sorted with 9 before 10. */
    public List<String> names() {
        try {
            return folded.isEmpty() ? List.of() : NodeSet.expand(folded);
        } catch (UnreadableException e) {
            throw new IllegalStateException("not a set of nodes: " + folded, e);
        }
    }
}
