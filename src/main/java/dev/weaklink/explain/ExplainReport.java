package dev.weaklink.explain;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Two kernels compared.
 *
 * @param from what the older kernel was given as
 * @param to what the newer kernel was given as
 * @param difference what differs; null if a kernel could not be read
 * @param unknown symbols asked for that neither kernel exports
 * @param users which of the modules asked about import each symbol; empty if none were
 * @param driver what the one module asked about does with what changed; null without or for several
 * @param generator what made the CRCs of both; null where they are not compared
 * @param assumed whether a kernel's configuration, which says what made them, is not known
 * @param incomparable why CRCs of the two say nothing of each other, a sentence each; mostly none
 * @param broken symbols on a stablelist that can keep modules from loading; null without a list
 * @param notes what is not known, each with the kernel it is about
 */
public record ExplainReport(
        String from,
        String to,
        @Nullable KernelDifference difference,
        List<String> unknown,
        Map<String, Set<String>> users,
        @Nullable DriverReport driver,
        @Nullable String generator,
        boolean assumed,
        List<String> incomparable,
        @Nullable List<String> broken,
        List<String> notes) {
    public ExplainReport {
        unknown = List.copyOf(unknown);
        users = Map.copyOf(users);
        incomparable = List.copyOf(incomparable);
        broken = broken == null ? null : List.copyOf(broken);
        notes = List.copyOf(notes);
    }

    /** How many of the modules asked about import a symbol with this cause. */
    public int modules(CauseCount cause) {
        Set<String> modules = new HashSet<>();
        cause.symbols().forEach(symbol -> modules.addAll(users.getOrDefault(symbol, Set.of())));
        return modules.size();
    }

    /**
     * Returns whether a change that matters could keep a module built for the older kernel from loading, or moved
     * members of a type behind equal CRCs.
     */
    public boolean isBreaking() {
        if (broken != null) {
            return !broken.isEmpty();
        }
        return difference != null
                && (!difference.breaking().isEmpty() || !difference.unnoticed().isEmpty());
    }
}
