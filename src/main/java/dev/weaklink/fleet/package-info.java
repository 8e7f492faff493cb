/**
 * Groups the nodes of a fleet and lists the steps that each group needs. The input is the inventories of nodes, from
 * {@code fleet.intake}, and the verdicts of kernels, from {@code fleet.judge}. The result is an
 * {@link dev.weaklink.fleet.AuditReport}. Open {@link dev.weaklink.fleet.Audit} first: it collects nodes, so that equal
 * nodes are judged once. {@link dev.weaklink.fleet.AuditReportBuilder} combines groups with verdicts, and
 * {@link dev.weaklink.fleet.Advice} orders the next steps. Everything is pure. Time and memory grow with the number of
 * different nodes, not with the number of nodes.
 */
@NullMarked
package dev.weaklink.fleet;

import org.jspecify.annotations.NullMarked;
