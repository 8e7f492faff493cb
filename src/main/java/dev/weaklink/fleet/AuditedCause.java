package dev.weaklink.fleet;

import dev.weaklink.fleet.AuditReport.SetVerdict;
import dev.weaklink.loader.TypeChange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The cause of a changed CRC, as stored in audits.
 *
 * @param kind struct, union, enum, typedef or prototype
 * @param name the name of the type, or of a prototype's function
 * @param change the kind of the worst change among the possible causes: layout, signature, meaning or spelling
 * @param summary the change in a few words
 */
public record AuditedCause(String kind, String name, String change, String summary) {
    /**
     * The share of a target's refused sets that a cause explains.
     *
     * @param sets the number of refused sets with a finding that has this cause
     * @param of the number of all refused sets on the target
     */
    public record Share(int target, AuditedCause cause, int sets, int of) {
        public String words() {
            return "explains " + sets + " of " + of + (of == 1 ? " set" : " sets");
        }
    }

    static AuditedCause of(TypeChange change, TypeChange worst) {
        String beyond = worst.equals(change) ? "" : "; worst of the other possible causes: " + worst.summary();
        return new AuditedCause(change.kind(), change.name(), worst.change().id(), change.summary() + beyond);
    }

    public String clause() {
        return summary + (change.equals("spelling") ? " (spelling only)" : "");
    }

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
