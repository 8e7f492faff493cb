package dev.weaklink.fleet;

import dev.weaklink.sys.UnreadableException;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.RandomAccess;
import org.jspecify.annotations.Nullable;

/**
 * An immutable set of nodes: some of the names of a fleet. An audit of a million nodes makes many sets of one fleet.
 */
public final class Nodes {
    /** The maximum number of nodes in an audit. */
    public static final int MAX = 1 << 20;

    public static final Nodes NONE = of(new Fleet(new String[0]));

    private final Fleet fleet;

    /** The indexes of the set's names in the fleet, ascending. */
    private final int[] indexes;

    private @Nullable String folded;

    private Nodes(Fleet fleet, int[] indexes) {
        this.fleet = fleet;
        this.indexes = indexes;
    }

    /** The names that sets of nodes share. */
    static final class Fleet {
        private final String[] names;
        private @Nullable Boolean isAlike;

        /**
         * Creates a fleet.
         *
         * @param names valid names in {@link NodeSet#ORDER}, each once; the caller does not change the array
         */
        Fleet(String[] names) {
            this.names = names;
        }

        int size() {
            return names.length;
        }

        /** Returns whether the names of the fleet, and thus of each set, differ at most in their numbers. */
        boolean isAlike() {
            Boolean known = isAlike;
            if (known == null) {
                known = NodeSetFolder.areAlike(List.of(names));
                isAlike = known;
            }
            return known;
        }

        Nodes set(int[] indexes) {
            return indexes.length == 0 ? NONE : new Nodes(this, indexes);
        }
    }

    private static Nodes of(Fleet fleet) {
        int[] all = new int[fleet.size()];
        for (int i = 0; i < all.length; i++) {
            all[i] = i;
        }
        return new Nodes(fleet, all);
    }

    /**
     * Returns the set of these names, in any order and with or without duplicates.
     *
     * @throws IllegalArgumentException if a name is not {@link NodeSet#isName valid}
     */
    public static Nodes of(Collection<String> names) {
        return names.isEmpty() ? NONE : of(new Fleet(NodeSet.sorted(names)));
    }

    public static Nodes parse(String folded) throws UnreadableException {
        return folded.isEmpty() ? NONE : of(new Fleet(NodeSet.expand(folded, MAX)));
    }

    public Nodes and(Nodes other) {
        return union(List.of(this, other));
    }

    public static Nodes union(List<Nodes> parts) {
        Nodes first = NONE;
        int used = 0;
        for (Nodes part : parts) {
            used += part.isEmpty() ? 0 : 1;
            first = used == 1 && !part.isEmpty() ? part : first;
        }
        if (used < 2) {
            return first;
        }
        BitSet indexes = new BitSet(first.fleet.size());
        for (Nodes part : parts) {
            if (part.fleet != first.fleet && !part.isEmpty()) {
                return unionOfFleets(parts);
            }
            for (int index : part.indexes) {
                indexes.set(index);
            }
        }
        return first.fleet.set(indexes.stream().toArray());
    }

    private static Nodes unionOfFleets(List<Nodes> parts) {
        List<String> names = new ArrayList<>();
        for (Nodes part : parts) {
            names.addAll(part.names());
        }
        return of(names);
    }

    public int count() {
        return indexes.length;
    }

    public boolean isEmpty() {
        return indexes.length == 0;
    }

    /** Returns the names, sorted with 9 before 10. */
    public List<String> names() {
        return new Names();
    }

    private final class Names extends AbstractList<String> implements RandomAccess {
        @Override
        public String get(int i) {
            return fleet.names[indexes[i]];
        }

        @Override
        public int size() {
            return indexes.length;
        }
    }

    /** Returns the first name in the order of strings, which sorts 10 before 9. */
    String first() {
        return Collections.min(names());
    }

    /**
     * Returns the names in ClusterShell's notation, such as {@code cn[001-412]}; empty for the empty set. If names
     * differ only in numbers, the last number that differs is written as ranges.
     */
    public String folded() {
        String text = folded;
        if (text == null) {
            text = isEmpty() ? "" : NodeSetFolder.fold(names(), fleet.isAlike());
            folded = text;
        }
        return text;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other || other instanceof Nodes nodes && names().equals(nodes.names());
    }

    @Override
    public int hashCode() {
        return isEmpty() ? 0 : 31 * count() + names().get(0).hashCode();
    }

    @Override
    public String toString() {
        return folded();
    }
}
