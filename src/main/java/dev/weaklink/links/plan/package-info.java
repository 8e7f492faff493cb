/**
 * Plans the links of each kernel. The input is a decision about each build, from {@code links}, and the links that
 * exist now. The result is a {@link dev.weaklink.links.plan.Plan}: the action for each module on each kernel, such as
 * to make a link or to rebuild the module, with the reason. Open {@link dev.weaklink.links.plan.Planner} first. All
 * functions are pure.
 */
@NullMarked
package dev.weaklink.links.plan;

import org.jspecify.annotations.NullMarked;
