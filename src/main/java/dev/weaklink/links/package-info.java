/**
 * Inspects the weak-updates links below a root directory and plans changes to them. A weak-updates link makes a module
 * that was built for one kernel available to another. The input is the kernels, the rules, and the installed builds:
 * module files, each compiled for one kernel. The result is a {@link dev.weaklink.links.plan.Plan}, or the outcome of a
 * plan that was carried out. Open {@link dev.weaklink.links.LinkManager} first. {@code KernelPlanner} plans for one
 * kernel, and {@code SubsetPlanner} chooses the builds to link. {@link dev.weaklink.links.LinkChanges} carries out a
 * plan as one transaction. {@link dev.weaklink.links.Repair} plans the removal of useless links and the depmod runs for
 * outdated indexes.
 */
@NullMarked
package dev.weaklink.links;

import org.jspecify.annotations.NullMarked;
