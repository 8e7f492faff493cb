/**
 * Inspects the weak-updates links of a root and plans changes to them. The input is the installed builds, the kernels
 * and the rules. The result is a {@link dev.weaklink.links.plan.Plan}, or its outcome after
 * {@link dev.weaklink.links.LinkChanges} carried it out. Open {@link dev.weaklink.links.LinkManager} first.
 * {@code KernelPlanner} opens one kernel, and {@code SubsetPlanner} tries builds in a
 * {@link dev.weaklink.links.LinkSimulation}, where {@link dev.weaklink.links.selection.MaximalSubset} chooses which to
 * link. {@link dev.weaklink.links.LinkChanges} plans again under the lock and makes one transaction.
 * {@link dev.weaklink.links.Repair} plans the removal of useless links and the renewal of outdated indexes.
 */
@NullMarked
package dev.weaklink.links;

import org.jspecify.annotations.NullMarked;
