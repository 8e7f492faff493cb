/**
 * Chooses which builds to link on a kernel. The input is a
 * {@link dev.weaklink.links.selection.MaximalSubset.SubsetQuestion}: a kernel, builds, and the kernel's own modules
 * that depend on them. The output is a {@link dev.weaklink.links.selection.Selection}: a decision with its reason for
 * each build. Open {@link dev.weaklink.links.selection.MaximalSubset} first; it asks {@link dev.weaklink.loader.Loader}
 * for the verdicts. Everything is pure.
 */
@NullMarked
package dev.weaklink.links.selection;

import org.jspecify.annotations.NullMarked;
