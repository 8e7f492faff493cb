package dev.weaklink.fleet.report;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditReport.Group;
import dev.weaklink.fleet.AuditedCause;
import dev.weaklink.fleet.Defect;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the things of an audit are called, for people, and whose they are. Names are escaped. */
final class AuditNames {
    private final AuditReport report;
    private final List<List<Group>> groups = new ArrayList<>();
    private final Map<@Nullable String, Integer> releases = new HashMap<>();

    AuditNames(AuditReport report) {
        this.report = report;
        for (int i = 0; i < report.sets().size(); i++) {
            groups.add(new ArrayList<>());
        }
        report.targets().forEach(target -> releases.merge(target.release(), 1, Integer::sum));
        for (Group group : report.groups()) {
            groups.get(group.set()).add(group);
        }
    }

    AuditedSet set(int id) {
        return report.sets().get(id);
    }

    /** A target by its release, as long as that is known and no other has it. */
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

    /** The product a set belongs to, or else its first modules. */
    String title(int set) {
        return Escape.text(set(set).title());
    }

    /** A set's digest, and the policy that distinguishes it from others. */
    String digest(int set) {
        return set(set).digest() + policy(set(set));
    }

    /** What follows a set's digest if a policy distinguishes it from another one. */
    static String policy(AuditedSet set) {
        return set.policy() == null ? "" : "/" + set.policy().id();
    }

    /** The nodes that have a set, folded. */
    String nodes(int set) {
        StringBuilder nodes = new StringBuilder();
        for (Group group : groups.get(set)) {
            nodes.append(nodes.length() == 0 ? "" : ",").append(group.nodes().folded());
        }
        return nodes.toString();
    }

    /** How many nodes have a set. */
    int count(int set) {
        int count = 0;
        for (Group group : groups.get(set)) {
            count += group.nodes().count();
        }
        return count;
    }

    /** What is wrong, in one line. */
    static String words(Defect defect) {
        return Escape.text(defect.words());
    }

    /** What was left aside of the input. */
    static String leftAside(long pieces) {
        int shown = (int) Math.min(pieces, Integer.MAX_VALUE);
        return Numbers.of(shown, "piece") + " of input left aside";
    }

    /** What changed, one after the other, escaped; empty if nothing is known. */
    static String causes(List<AuditedCause> causes) {
        List<String> clauses = new ArrayList<>();
        causes.forEach(cause -> clauses.add(Escape.text(cause.clause())));
        return String.join("; ", clauses);
    }
}
