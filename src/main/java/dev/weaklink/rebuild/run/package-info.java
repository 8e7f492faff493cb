/**
 * A rebuild from beginning to end: preflight, the build under supervision, its results examined, installed and linked.
 */
@NullMarked
package dev.weaklink.rebuild.run;

import org.jspecify.annotations.NullMarked;
