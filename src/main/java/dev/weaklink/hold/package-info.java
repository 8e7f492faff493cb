/**
 * Holds kernels that would refuse modules in use. A held kernel is a kernel whose packages the package manager must not
 * install for now. The input is the kernels that repositories offer ({@link dev.weaklink.system.offers.Offers}) and the
 * modules in use. The result is the package manager's list of held packages, and a
 * {@link dev.weaklink.hold.HoldReport}. Open {@link dev.weaklink.hold.HoldRun} first: it asks
 * {@link dev.weaklink.hold.OfferJudge} for a verdict on each kernel. {@link dev.weaklink.hold.Hold} decides without
 * reading files, and {@code HeldFiles} writes the list.
 */
@NullMarked
package dev.weaklink.hold;

import org.jspecify.annotations.NullMarked;
