package dev.weaklink.fleet;

import dev.weaklink.check.userspace.UserspaceFinding;
import dev.weaklink.check.userspace.UserspaceReport;
import dev.weaklink.fleet.AuditReport.NodeDefect;
import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.LibraryFinding;
import dev.weaklink.fleet.intake.NodeInventory.Userspace;
import java.util.ArrayList;
import java.util.List;

/**
 * RDMA's libraries on the nodes whose inventories report of them, which is to say where weaklink itself looked. Texts
 * are from nodes and not escaped.
 *
 * @param checked these nodes
 * @param without nodes without libibverbs; of all others nothing is known
 * @param problems what is wrong, failures first
 */
public record RdmaLibraries(Nodes checked, Nodes without, List<NodeDefect> problems) {
    /** No node was looked at. */
    public static final RdmaLibraries UNCHECKED = new RdmaLibraries(Nodes.NONE, Nodes.NONE, List.of());

    /** Shorter than what intake takes. */
    private static final int MOST_CHARACTERS = 1000;

    /** Takes a copy. */
    public RdmaLibraries {
        problems = List.copyOf(problems);
    }

    static RdmaLibraries of(List<NodeGroups.Kind> kinds) {
        List<String> checked = new ArrayList<>();
        List<String> without = new ArrayList<>();
        for (NodeGroups.Kind kind : kinds) {
            Userspace userspace = kind.inventory().userspace();
            if (userspace != null) {
                (userspace.library() == null ? without : checked).addAll(kind.names());
            }
        }
        return new RdmaLibraries(
                Nodes.of(checked), Nodes.of(without), NodeDefect.of(kinds, inventory -> "", RdmaLibraries::defects));
    }

    private static List<Defect> defects(NodeInventory inventory) {
        List<Defect> defects = new ArrayList<>();
        Userspace userspace = inventory.userspace();
        for (LibraryFinding one : userspace == null ? List.<LibraryFinding>of() : userspace.findings()) {
            UserspaceFinding.Kind kind = UserspaceFinding.Kind.of(one.id());
            if (kind != null) {
                defects.add(new Defect(kind, one.subject(), one.detail(), one.packages()));
            }
        }
        return defects;
    }

    /** What a node reports of its libraries. */
    public static Userspace reported(UserspaceReport report) {
        List<LibraryFinding> findings = report.findings().stream()
                .map(finding -> new LibraryFinding(
                        finding.kind().id(),
                        shortened(finding.subject()),
                        shortened(finding.detail()),
                        shortened(String.join(", ", finding.packages()))))
                .toList();
        return new Userspace(report.library(), findings);
    }

    private static String shortened(String text) {
        return text.length() <= MOST_CHARACTERS ? text : text.substring(0, MOST_CHARACTERS) + "...";
    }

    /** Whether a node reports of something that only a later weaklink knows. */
    static boolean hasUnknown(Userspace userspace) {
        return userspace.findings().stream().anyMatch(finding -> UserspaceFinding.Kind.of(finding.id()) == null);
    }

    /** The nodes of which something is known. */
    public Nodes known() {
        return checked.and(without);
    }
}
