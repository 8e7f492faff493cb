/** The command lines of weak-modules and weak-modules2, decided by the loader's own rules. */
@NullMarked
package dev.weaklink.compat;

import org.jspecify.annotations.NullMarked;
