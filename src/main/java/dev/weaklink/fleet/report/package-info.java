/**
 * Renders an {@link dev.weaklink.fleet.AuditReport} as a table, a page, JSON, CSV, metrics and a status line for
 * monitoring. Open {@link dev.weaklink.fleet.report.AuditForms} first: it chooses the writer of a format.
 * {@code AuditTable} writes text for people, and {@code AuditJson} writes JSON for programs.
 * {@link dev.weaklink.fleet.report.Baseline} compares an audit with an earlier one.
 */
@NullMarked
package dev.weaklink.fleet.report;

import org.jspecify.annotations.NullMarked;
