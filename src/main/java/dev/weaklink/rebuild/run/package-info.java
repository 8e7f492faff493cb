/**
 * Runs rebuilds. The input is a {@link dev.weaklink.rebuild.run.RebuildRequest}, and the result is a directory with the
 * log, a manifest and the built packages. Open {@link dev.weaklink.rebuild.run.RebuildRun} first: it runs one build
 * under supervision and examines the modules. {@link dev.weaklink.rebuild.run.Installation} installs them.
 * {@link dev.weaklink.rebuild.run.RebuildingApply} links what loads, rebuilds the rest, and links again. Every state is
 * on disk, so that a run that was killed can be continued. {@link dev.weaklink.rebuild.run.TrialRun} builds without
 * installing.
 */
@NullMarked
package dev.weaklink.rebuild.run;

import org.jspecify.annotations.NullMarked;
