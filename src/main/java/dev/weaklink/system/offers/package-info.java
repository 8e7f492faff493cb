/** The kernels that the repositories of a package manager offer, before they are downloaded. */
@NullMarked
package dev.weaklink.system.offers;

import org.jspecify.annotations.NullMarked;
