package dev.weaklink.audit;

import java.util.List;

/**
 * What came of an audit.
 *
 * @param nodes how many there were
 * @param groups kernels with modules and the nodes that have just these, newest kernel first, then
 *     the most nodes
 * @param running what is wrong in running kernels
 * @param incomplete nodes, sorted, that could not read something of theirs
 */
public record AuditReport(
    int nodes, List<Group> groups, List<RunningDefect> running, List<String> incomplete) {
  /**
   * Nodes that are alike for one kernel.
   *
   * @param nodes sorted
   * @param running how many of them run this kernel
   * @param defects sorted
   */
  public record Group(ModuleSet set, List<String> nodes, int running, List<Defect> defects) {}

  /**
   * Something wrong with what is loaded.
   *
   * @param kernel the running kernel
   * @param nodes sorted
   */
  public record RunningDefect(String kernel, Defect defect, List<String> nodes) {}

  /** Whether anything is wrong anywhere. */
  public boolean hasDefects() {
    return !running.isEmpty() || groups.stream().anyMatch(group -> !group.defects().isEmpty());
  }
}
