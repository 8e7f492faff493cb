package dev.weaklink.fleet;

import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.loader.TypeChange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Why a CRC changed, as audits keep it.
 *
 * @param kind struct, union, enum, typedef or prototype
 * @param name of the type; of a prototype the function's
 * @param change layout, signature, meaning or spelling: the worst that may be behind it
 * @param summary what happened in a few words
 */
public record AuditedCause(String kind, String name, String change, String summary) {
    /**
     * How many of the sets that a target refuses have modules that are refused for a cause.
     *
     * @param sets how many
     * @param of how many sets the target refuses
     */
    public record Share(int target, AuditedCause cause, int sets, int of) {
        /** "explains 31 of 40 sets". */
        public String words() {
            return "explains " + sets + " of " + of + (of == 1 ? " set" : " sets");
        }
    }

    /**
     * What changed.
     *
     * @param worst what is within reach as well, or the change itself
     */
    static AuditedCause of(TypeChange change, TypeChange worst) {
        String beyond = worst.equals(change) ? "" : "; within reach: " + worst.summary();
        return new AuditedCause(change.kind(), change.name(), worst.change().id(), change.summary() + beyond);
    }

    /** What happened, and whether anything but the spelling differs. */
    public String clause() {
        return summary + (change.equals("spelling") ? " (spelling only)" : "");
    }

    /** All causes that an audit names, by target, those of the most sets first. */
    public static List<Share> shares(AuditReport report) {
        Map<Integer, Integer> refused = new TreeMap<>();
        Map<Integer, Map<AuditedCause, Integer>> counts = new TreeMap<>();
        for (SetVerdict verdict : report.verdicts()) {
            if (verdict.answer().fails() > 0) {
                refused.merge(verdict.target(), 1, Integer::sum);
                for (AuditedCause cause : verdict.causes()) {
                    counts.computeIfAbsent(
                                    verdict.target(), target -> new TreeMap<>(Comparator.comparing(Record::toString)))
                            .merge(cause, 1, Integer::sum);
                }
            }
        }
        List<Share> shares = new ArrayList<>();
        counts.forEach((target, causes) -> causes.forEach(
                (cause, sets) -> shares.add(new Share(target, cause, sets, refused.getOrDefault(target, sets)))));
        shares.sort(Comparator.comparing(Share::target).thenComparing(share -> -share.sets));
        return shares;
    }
}
