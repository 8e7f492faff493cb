/** Judges modules as the kernel's loader would: pure functions from facts to findings. */
@NullMarked
package dev.weaklink.loader;

import org.jspecify.annotations.NullMarked;
