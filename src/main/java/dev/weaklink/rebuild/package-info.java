/** Which rebuild is the right one, what exactly it runs, what blocks it, and what its end means. Pure. */
@NullMarked
package dev.weaklink.rebuild;

import org.jspecify.annotations.NullMarked;
