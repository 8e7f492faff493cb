/** The choice of a rebuild, its commands, its obstacles and the meaning of its results. Pure functions. */
@NullMarked
package dev.weaklink.rebuild;

import org.jspecify.annotations.NullMarked;
