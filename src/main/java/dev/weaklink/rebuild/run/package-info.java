/**
 * Runs rebuilds. The input is a {@link dev.weaklink.rebuild.run.RebuildRequest}, and the result is a run directory with
 * the log, a manifest and the results of the build. Open {@link dev.weaklink.rebuild.run.RebuildRun} first: it runs one
 * build under supervision and examines the modules. {@link dev.weaklink.rebuild.run.Installation} installs them.
 * {@link dev.weaklink.rebuild.run.RebuildingApply} links what loads, rebuilds the rest, and links again. Each run
 * records its state on disk, so that a killed run can be continued. {@link dev.weaklink.rebuild.run.TrialRun} makes
 * trial builds, which install nothing.
 */
@NullMarked
package dev.weaklink.rebuild.run;

import org.jspecify.annotations.NullMarked;
