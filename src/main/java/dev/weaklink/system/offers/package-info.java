/**
 * Lists the kernels that repositories of a package manager offer, before they are downloaded. The input is the lists
 * that apt, dnf or zypper downloaded below a root directory. The result is an
 * {@link dev.weaklink.system.offers.OfferedKernel} for each kernel, with the symbols that its packages publish. Open
 * {@link dev.weaklink.system.offers.Offers} first. {@code AptOffers} reads the lists of Debian and Ubuntu,
 * {@code RpmOffers} those of rpm distributions.
 */
@NullMarked
package dev.weaklink.system.offers;

import org.jspecify.annotations.NullMarked;
