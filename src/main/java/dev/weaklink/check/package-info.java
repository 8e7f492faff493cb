/** A check from beginning to end: read the modules, open the targets, judge. */
@NullMarked
package dev.weaklink.check;

import org.jspecify.annotations.NullMarked;
