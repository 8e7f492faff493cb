/** Plans of link changes, computed from verdicts and the present state. Pure functions. */
@NullMarked
package dev.weaklink.links.plan;

import org.jspecify.annotations.NullMarked;
