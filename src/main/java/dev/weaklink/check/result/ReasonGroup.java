package dev.weaklink.check.result;

import dev.weaklink.check.result.FewestCauses.Explanation;
import dev.weaklink.loader.CrcCause;
import dev.weaklink.loader.Finding;
import dev.weaklink.loader.Finding.Effect;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Modules of one kernel that are refused, or undetermined, for the same reason. All strings are escaped.
 *
 * @param reason the reason, as a clause
 * @param wants the values the modules expect, without duplicates; empty if the reason compares no values or a cause is
 *     known
 * @param offers the values the kernel offers instead
 * @param cause the cause of a changed CRC, null if unknown
 * @param dmesg the kernel's log message for one of the modules, null if the kernel logs nothing
 * @param modules the names of the modules that are in no earlier group
 * @param hits the number of modules with this reason, including modules of earlier groups
 */
public record ReasonGroup(
        String reason,
        List<String> wants,
        List<String> offers,
        @Nullable CrcCause cause,
        @Nullable String dmesg,
        List<String> modules,
        int hits) {

    public static List<ReasonGroup> ofRefused(List<Verdict> refused) {
        List<ReasonGroup> groups = new ArrayList<>();
        for (Explanation explanation : FewestCauses.of(refused)) {
            groups.add(of(explanation));
        }
        return groups;
    }

    private static ReasonGroup of(Explanation explanation) {
        Set<String> wants = new LinkedHashSet<>();
        Set<String> offers = new LinkedHashSet<>();
        CrcCause cause = null;
        String dmesg = null;
        for (Verdict verdict : explanation.modules()) {
            Finding finding = findingOf(explanation.cause(), verdict);
            if (finding == null) {
                continue;
            }
            cause = cause == null ? finding.cause() : cause;
            if (cause == null && finding.wants() != null && finding.offers() != null) {
                wants.add(Escape.bytes(finding.wants()));
                offers.add(FindingText.offer(finding));
            }
            if (dmesg == null && finding.dmesg() != null) {
                dmesg = Escape.bytes(finding.dmesg());
            }
        }
        return new ReasonGroup(
                explanation.clause(),
                List.copyOf(wants),
                List.copyOf(offers),
                cause,
                dmesg,
                names(explanation.modules()),
                explanation.hits());
    }

    private static @Nullable Finding findingOf(RefusalCause cause, Verdict verdict) {
        for (Finding finding : verdict.findings()) {
            if (finding.effect() == Effect.REFUSES && RefusalCause.of(finding).equals(cause)) {
                return finding;
            }
        }
        return null;
    }

    public static List<ReasonGroup> ofUndetermined(List<Verdict> undetermined) {
        Map<String, List<Verdict>> byReason = new LinkedHashMap<>();
        for (Verdict verdict : undetermined) {
            byReason.computeIfAbsent(FindingText.whyUndetermined(verdict), why -> new ArrayList<>())
                    .add(verdict);
        }
        List<ReasonGroup> groups = new ArrayList<>();
        byReason.forEach((reason, verdicts) -> groups.add(
                new ReasonGroup(reason, List.of(), List.of(), null, null, names(verdicts), verdicts.size())));
        return groups;
    }

    private static List<String> names(List<Verdict> verdicts) {
        List<String> names = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            names.add(Escape.bytes(verdict.module().name()));
        }
        return names;
    }

    /** Returns for example "14 of 17 refused modules (applies to 16 in all)". */
    public String share(int refused, boolean first) {
        int count = modules.size();
        return Numbers.grouped(count)
                + (first ? " of " : " more of ")
                + Numbers.of(refused, "refused module")
                + (hits > count ? " (applies to " + Numbers.grouped(hits) + " in all)" : "");
    }
}
