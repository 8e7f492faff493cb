/** Kernels seen once, kept as compressed files that are named by what is in them. */
@NullMarked
package dev.weaklink.kernel.store;

import org.jspecify.annotations.NullMarked;
