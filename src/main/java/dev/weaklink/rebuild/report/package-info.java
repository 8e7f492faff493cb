/**
 * Renders rebuilds as text and JSON. The input is the results of {@code rebuild.run}. Open
 * {@link dev.weaklink.rebuild.report.RebuildText} for a rebuild, {@link dev.weaklink.rebuild.report.ApplyText} for
 * {@code apply --rebuild} and {@link dev.weaklink.rebuild.report.HookReport} for the report of a hook.
 */
@NullMarked
package dev.weaklink.rebuild.report;

import org.jspecify.annotations.NullMarked;
