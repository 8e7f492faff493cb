/**
 * Groups the nodes of a fleet and lists the steps that each group needs. The input is the nodes' inventories, as
 * {@code fleet.intake} reads them, and the verdicts on kernels from {@code fleet.judge}. A target is a kernel that the
 * audit judges modules on. A module set is the out-of-tree modules that nodes have for one kernel. The result is an
 * {@link dev.weaklink.fleet.AuditReport}. Open {@link dev.weaklink.fleet.Audit} first: it collects nodes, so that equal
 * nodes are judged once. {@link dev.weaklink.fleet.AuditReportBuilder} combines groups with verdicts, and
 * {@link dev.weaklink.fleet.Advice} orders the next steps. No class of this package reads or writes files.
 */
@NullMarked
package dev.weaklink.fleet;

import org.jspecify.annotations.NullMarked;
