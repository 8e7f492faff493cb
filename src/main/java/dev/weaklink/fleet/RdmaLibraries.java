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
 * The state of RDMA libraries on the nodes that report them. Only nodes that run weaklink itself report their
 * libraries. Strings come from nodes and are not escaped.
 *
 * @param checked the nodes with libibverbs whose libraries were checked
 * @param without the nodes without libibverbs; nodes in neither set did not report their libraries
 * @param problems the defects, failures first
 */
public record RdmaLibraries(Nodes checked, Nodes without, List<NodeDefect> problems) {
    public static final RdmaLibraries UNCHECKED = new RdmaLibraries(Nodes.NONE, Nodes.NONE, List.of());

    private static final int MOST_CHARACTERS = 1000;

    public RdmaLibraries {
        problems = List.copyOf(problems);
    }

    static RdmaLibraries of(List<NodeGroups.AlikeNodes> kinds) {
        List<Nodes> checked = new ArrayList<>();
        List<Nodes> without = new ArrayList<>();
        for (NodeGroups.AlikeNodes kind : kinds) {
            Userspace userspace = kind.inventory().userspace();
            if (userspace != null) {
                (userspace.library() == null ? without : checked).add(kind.nodes());
            }
        }
        return new RdmaLibraries(
                Nodes.union(checked),
                Nodes.union(without),
                NodeDefect.of(kinds, inventory -> "", RdmaLibraries::defects));
    }

    private static List<Defect> defects(NodeInventory inventory) {
        List<Defect> defects = new ArrayList<>();
        Userspace userspace = inventory.userspace();
        for (LibraryFinding one : userspace == null ? List.<LibraryFinding>of() : userspace.findings()) {
            UserspaceFinding.LibraryDefect kind = UserspaceFinding.LibraryDefect.of(one.id());
            if (kind != null) {
                defects.add(new Defect(kind, one.subject(), one.detail(), one.packages()));
            }
        }
        return defects;
    }

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

    static boolean hasUnknown(Userspace userspace) {
        return userspace.findings().stream()
                .anyMatch(finding -> UserspaceFinding.LibraryDefect.of(finding.id()) == null);
    }

    public Nodes known() {
        return checked.and(without);
    }
}
