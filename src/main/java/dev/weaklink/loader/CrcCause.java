package dev.weaklink.loader;

import dev.weaklink.sys.StableId;
import java.util.List;

/**
 * Why a symbol's CRC changed.
 *
 * @param change what is behind it, as far as can be said
 * @param path the types from the symbol's declaration to the changed one, in C
 * @param way the same for readers: by which parameter or member each leads to the next
 * @param certainty how sure that is
 * @param others what else could be, or changed it as well; most likely first, at most two, and one more if that is the
 *     worst within reach
 */
public record CrcCause(
        TypeChange change, List<String> path, List<String> way, Certainty certainty, List<TypeChange> others) {
    /** How sure a cause is. */
    public enum Certainty implements StableId {
        /** Nothing else that changed can be reached from the symbol, but by way of it. */
        ONLY,
        /** The source file is known to see every type on the way. */
        KNOWN,
        /** The most likely of several, by a table of its kernel's own series. */
        LIKELY,
        /** The same where no table was made on its kernel's series, or the types show no difference but a layout. */
        GUESS
    }

    /** The worst of all changes that its source file can have seen. */
    public TypeChange worst() {
        TypeChange worst = change;
        for (TypeChange other : others) {
            worst = other.change().compareTo(worst.change()) < 0 ? other : worst;
        }
        return worst;
    }

    /** What happened to the type, and what is worse and within reach. */
    public String clause() {
        TypeChange worst = worst();
        return change.clause() + (worst.equals(change) ? "" : "; within reach: " + worst.clause());
    }

    public CrcCause {
        path = List.copyOf(path);
        way = List.copyOf(way);
        others = List.copyOf(others);
    }
}
