package dev.weaklink.check.result;

import dev.weaklink.loader.Finding;
import dev.weaklink.loader.FindingKind;
import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

public final class Verdicts {
    private Verdicts() {}

    public static boolean isUnreadable(Verdict verdict) {
        if (verdict.outcome() != Outcome.UNDETERMINED) {
            return false;
        }
        for (Finding finding : verdict.findings()) {
            if (finding.kind() == FindingKind.INPUT_UNREADABLE) {
                return true;
            }
        }
        return false;
    }

    public static boolean breakOthers(List<Verdict> verdicts) {
        for (Verdict verdict : verdicts) {
            if (verdict.breaksOthers()) {
                return true;
            }
        }
        return false;
    }

    public static List<String> broken(List<Verdict> verdicts) {
        Set<String> names = new LinkedHashSet<>(brokenInUse(verdicts));
        names.addAll(broken(verdicts, false));
        return List.copyOf(names);
    }

    public static Set<String> brokenInUse(List<Verdict> verdicts) {
        return broken(verdicts, true);
    }

    private static Set<String> broken(List<Verdict> verdicts, boolean used) {
        Set<String> names = new TreeSet<>();
        for (Verdict verdict : verdicts) {
            for (Finding finding : verdict.findings()) {
                if (finding.importer() != null && finding.importer().used() == used) {
                    names.add(finding.importer().name());
                }
            }
        }
        return names;
    }
}
