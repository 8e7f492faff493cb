/**
 * Plans the links of each kernel. The input is a decision about each build, from {@code links}, and the links that
 * exist now. The result is a {@link dev.weaklink.links.plan.Plan}: for each module of each kernel, whether to link,
 * keep, remove or rebuild it, with the reason. Open {@link dev.weaklink.links.plan.Planner} first. The planner only
 * changes links of known origin. All functions are pure.
 */
@NullMarked
package dev.weaklink.links.plan;

import org.jspecify.annotations.NullMarked;
