/**
 * Many nodes at once: which of them are alike, and what is wrong with each kind. Pure; the work grows with how much
 * nodes differ and not with their number.
 */
@NullMarked
package dev.weaklink.fleet;

import org.jspecify.annotations.NullMarked;
