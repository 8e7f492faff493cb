/**
 * Renders plans and the history of changes as text and JSON. Open {@link dev.weaklink.links.report.PlanTable} for a
 * plan as text, {@link dev.weaklink.links.report.PlanJson} for JSON, {@link dev.weaklink.links.report.PlanResults} for
 * other forms, and {@link dev.weaklink.links.report.HistoryText} for the history.
 */
@NullMarked
package dev.weaklink.links.report;

import org.jspecify.annotations.NullMarked;
