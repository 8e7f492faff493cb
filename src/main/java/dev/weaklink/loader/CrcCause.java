package dev.weaklink.loader;

import dev.weaklink.sys.StableId;
import java.util.List;

/**
 * The cause of a changed CRC.
 *
 * @param change the most likely change
 * @param path the symbol, then the C types from its declaration to the changed type
 * @param way the same path for people; it names the parameter or member that leads from each type to the next
 * @param others at most two other possible causes, the most likely first; then worse changes to which the symbol's
 *     declaration leads
 */
public record CrcCause(
        TypeChange change, List<String> path, List<String> way, Certainty certainty, List<TypeChange> others) {
    public enum Certainty implements StableId {
        /** Every path found from the symbol to a changed type meets this change first. */
        ONLY,
        /**
         * The symbol's own prototype changed, or the exporting source file is known to include the definition of every
         * type on the path.
         */
        KNOWN,
        /**
         * The change is the most likely of several. The estimate uses weaklink's table of the types that source files
         * of the kernel's series include.
         */
        LIKELY,
        /**
         * weaklink has no table of included types for the kernel's series, or the type's definition is the same and
         * only its members moved.
         */
        GUESS
    }

    public TypeChange worst() {
        TypeChange worst = change;
        for (TypeChange other : others) {
            worst = other.change().compareTo(worst.change()) < 0 ? other : worst;
        }
        return worst;
    }

    public String clause() {
        TypeChange worst = worst();
        return change.clause()
                + (worst.equals(change) ? "" : "; worst of the other possible causes: " + worst.clause());
    }

    public CrcCause {
        path = List.copyOf(path);
        way = List.copyOf(way);
        others = List.copyOf(others);
    }
}
