/** The loader's verdict: pure functions from facts to findings. */
@NullMarked
package dev.weaklink.loader;

import org.jspecify.annotations.NullMarked;
