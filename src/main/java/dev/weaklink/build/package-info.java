/**
 * A rebuild from beginning to end: what a system shows, what stands in the way, the build under
 * supervision, its results looked at, installed and linked.
 */
@NullMarked
package dev.weaklink.build;

import org.jspecify.annotations.NullMarked;
