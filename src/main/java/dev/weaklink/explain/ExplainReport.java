package dev.weaklink.explain;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The result of comparing two kernels.
 *
 * @param from the older kernel, as the user named it
 * @param to the newer kernel, as the user named it
 * @param difference the difference; null if a kernel is unknown or could not be read
 * @param unknown the requested symbols that neither kernel exports
 * @param users the modules that import each symbol; empty if no modules were given
 * @param driver the use of the changes by a module; null unless exactly one readable module was given
 * @param generator the tool that made the CRCs of both kernels; null if CRCs are not compared
 * @param assumed whether the tool was guessed, because a kernel's configuration is unknown
 * @param incomparable the reasons why the CRCs of the two kernels cannot be compared, one sentence for each reason;
 *     usually empty
 * @param broken the symbols on the stablelist whose change can keep modules from loading; null if no stablelist was
 *     requested or it could not be read
 * @param notes sentences about unknown facts, and about the reliability of the causes
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

    public int modules(CauseCount cause) {
        Set<String> modules = new HashSet<>();
        cause.symbols().forEach(symbol -> modules.addAll(users.getOrDefault(symbol, Set.of())));
        return modules.size();
    }

    /**
     * Returns whether a module built for the older kernel could fail to load, or could load with a wrong layout. The
     * layout is wrong if members moved although CRCs are equal. With a stablelist, only changes of the listed symbols
     * count.
     */
    public boolean isBreaking() {
        if (broken != null) {
            return !broken.isEmpty();
        }
        return difference != null
                && (!difference.breaking().isEmpty() || !difference.unnoticed().isEmpty());
    }
}
