/**
 * Decides what happens to each link. The input is the builds to link, from {@code links}, and the links that exist now.
 * The result is a {@link dev.weaklink.links.plan.Plan}: for every kernel, what is linked, kept, removed or rebuilt,
 * each with a reason. Open {@link dev.weaklink.links.plan.Planner} first. A link is only changed if its origin is
 * known. Everything is pure.
 */
@NullMarked
package dev.weaklink.links.plan;

import org.jspecify.annotations.NullMarked;
