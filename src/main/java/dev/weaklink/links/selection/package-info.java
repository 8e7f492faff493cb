/**
 * Chooses the builds to link on a kernel. The input is a
 * {@link dev.weaklink.links.selection.MaximalSubset.SubsetQuestion}: a kernel, builds, and the kernel's own modules
 * that the builds need or that depend on the builds. The output is a {@link dev.weaklink.links.selection.Selection}: a
 * decision with its reason for each build. Open {@link dev.weaklink.links.selection.MaximalSubset} first; it gets the
 * verdicts from {@link dev.weaklink.loader.Loader}. All functions are pure.
 */
@NullMarked
package dev.weaklink.links.selection;

import org.jspecify.annotations.NullMarked;
