package dev.weaklink.fleet.report;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedGroup;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditedCause;
import dev.weaklink.fleet.Defect;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of an audit's kernels and module sets for people, escaped, and the nodes that have each set. */
final class AuditNames {
    private final AuditReport report;
    private final List<List<AuditedGroup>> groups = new ArrayList<>();
    private final Map<@Nullable String, Integer> releases = new HashMap<>();

    AuditNames(AuditReport report) {
        this.report = report;
        for (int i = 0; i < report.sets().size(); i++) {
            groups.add(new ArrayList<>());
        }
        report.targets().forEach(target -> releases.merge(target.release(), 1, Integer::sum));
        for (AuditedGroup group : report.groups()) {
            groups.get(group.set()).add(group);
        }
    }

    AuditedSet set(int id) {
        return report.sets().get(id);
    }

    String kernel(int target) {
        AuditReport.Target found = report.targets().get(target);
        String release = found.release();
        if (release == null) {
            return Escape.text(found.label());
        }
        Integer same = releases.get(release);
        boolean alone = same == null || same == 1 || found.label().equals(release);
        return Escape.text(alone ? release : release + " (" + found.label() + ")");
    }

    String title(int set) {
        return Escape.text(set(set).title());
    }

    String digest(int set) {
        return set(set).digest() + policy(set(set));
    }

    static String policy(AuditedSet set) {
        return set.policy() == null ? "" : "/" + set.policy().id();
    }

    String nodes(int set) {
        StringBuilder nodes = new StringBuilder();
        for (AuditedGroup group : groups.get(set)) {
            nodes.append(nodes.length() == 0 ? "" : ",").append(group.nodes().folded());
        }
        return nodes.toString();
    }

    int count(int set) {
        int count = 0;
        for (AuditedGroup group : groups.get(set)) {
            count += group.nodes().count();
        }
        return count;
    }

    static String words(Defect defect) {
        return Escape.text(defect.words());
    }

    static String leftAside(long pieces) {
        int shown = (int) Math.min(pieces, Integer.MAX_VALUE);
        return Numbers.of(shown, "piece") + " of input skipped";
    }

    static String causes(List<AuditedCause> causes) {
        List<String> clauses = new ArrayList<>();
        causes.forEach(cause -> clauses.add(Escape.text(cause.clause())));
        return String.join("; ", clauses);
    }
}
