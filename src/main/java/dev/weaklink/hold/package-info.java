/**
 * Holds kernels that would refuse modules in use, before the package manager installs them. The input is the kernels
 * that repositories offer ({@link dev.weaklink.system.offers.Offers}) and the modules in use. The result is the package
 * manager's list of held packages, and a {@link dev.weaklink.hold.HoldReport}. Open {@link dev.weaklink.hold.HoldRun}
 * first: it asks {@link dev.weaklink.hold.OfferJudge} for a verdict on each kernel, lets {@link dev.weaklink.hold.Hold}
 * decide, which is pure, and writes the list with {@code HeldFiles}.
 */
@NullMarked
package dev.weaklink.hold;

import org.jspecify.annotations.NullMarked;
