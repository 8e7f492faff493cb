/**
 * Which rebuild is the right one, what exactly it runs, what stands in its way, and what its ending
 * means. Pure.
 */
@NullMarked
package dev.weaklink.rebuild;

import org.jspecify.annotations.NullMarked;
