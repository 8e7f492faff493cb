/**
 * Renders plans and the history of changes as text and JSON. Open {@link dev.weaklink.links.report.PlanResults} for a
 * plan, {@link dev.weaklink.links.report.PlanChanges} for what a plan would change, and
 * {@link dev.weaklink.links.report.HistoryText} for the history.
 */
@NullMarked
package dev.weaklink.links.report;

import org.jspecify.annotations.NullMarked;
