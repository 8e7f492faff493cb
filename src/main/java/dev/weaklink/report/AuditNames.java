package dev.weaklink.report;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.AuditedModule;
import dev.weaklink.audit.AuditReport.AuditedSet;
import dev.weaklink.audit.AuditReport.Group;
import dev.weaklink.audit.Defect;
import dev.weaklink.audit.Nodes;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;

/** What the things of an audit are called, for people, and whose they are. Names are escaped. */
final class AuditNames {
  private static final int NAMED_MODULES = 3;

  private final AuditReport report;
  private final List<List<Group>> groups = new ArrayList<>();

  AuditNames(AuditReport report) {
    this.report = report;
    for (int i = 0; i < report.sets().size(); i++) {
      groups.add(new ArrayList<>());
    }
    for (Group group : report.groups()) {
      groups.get(group.set()).add(group);
    }
  }

  AuditedSet set(int id) {
    return report.sets().get(id);
  }

  /** The label of a target. */
  String kernel(int target) {
    return Escape.text(report.targets().get(target).label());
  }

  /** The product a set belongs to, or else its first modules. */
  String title(int set) {
    AuditedSet found = set(set);
    if (found.product() != null) {
      return Escape.text(found.product());
    }
    StringBuilder title = new StringBuilder();
    for (int i = 0; i < Math.min(found.modules().size(), NAMED_MODULES); i++) {
      AuditedModule module = found.modules().get(i);
      title.append(i == 0 ? "" : ", ").append(Escape.text(module.name()));
    }
    if (found.modules().size() > NAMED_MODULES) {
      title.append(", ...");
    }
    return title.length() == 0 ? "no modules" : title.toString();
  }

  /** A set's digest, and the policy that tells it from others. */
  String digest(int set) {
    return set(set).digest() + policy(set(set));
  }

  /** What follows a set's digest if a policy tells it from another one. */
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
    return Escape.text(defect.subject())
        + ": "
        + defect.kind().meaning()
        + " ("
        + Escape.text(defect.detail())
        + ")";
  }

  /** Some nodes, as they are shown: how many and which. */
  static String nodes(Nodes nodes) {
    return Numbers.of(nodes.count(), "node") + ": " + nodes.folded();
  }

  /** What was left aside of the input. */
  static String leftAside(long pieces) {
    int shown = (int) Math.min(pieces, Integer.MAX_VALUE);
    return Numbers.of(shown, "piece") + " of input left aside";
  }
}
