/**
 * Renders plans and rebuilds as text and JSON. The input is the results of {@code links} and {@code rebuild.run}. Open
 * {@link dev.weaklink.rebuild.report.PlanTable} for the plan, {@link dev.weaklink.rebuild.report.StatusText} for
 * {@code weaklink status}, {@link dev.weaklink.rebuild.report.RebuildText} for a rebuild and
 * {@link dev.weaklink.rebuild.report.HoldText} for held kernels.
 */
@NullMarked
package dev.weaklink.rebuild.report;

import org.jspecify.annotations.NullMarked;
