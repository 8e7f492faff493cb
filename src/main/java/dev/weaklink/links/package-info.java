/**
 * Inspects the weak-updates links below a root directory and plans changes to them. A weak-updates link makes a module
 * that was built for one kernel available to another. The input is the kernels, the rules, and the installed builds:
 * module files, each compiled for one kernel. The result is a {@link dev.weaklink.links.plan.Plan}, or the outcome
 * after {@link dev.weaklink.links.LinkChanges} carried out a plan. Open {@link dev.weaklink.links.LinkManager} first.
 * {@code KernelPlanner} opens one kernel, and {@code SubsetPlanner} tries builds in a
 * {@link dev.weaklink.links.LinkSimulation}, where {@link dev.weaklink.links.selection.MaximalSubset} chooses the
 * builds to link. {@link dev.weaklink.links.LinkChanges} plans again under the lock and makes one transaction.
 * {@link dev.weaklink.links.Repair} plans the removal of useless links and the depmod runs for outdated indexes.
 */
@NullMarked
package dev.weaklink.links;

import org.jspecify.annotations.NullMarked;
