/** Verdicts and what is there now make a plan of what should be. Pure. */
@NullMarked
package dev.weaklink.links.plan;

import org.jspecify.annotations.NullMarked;
