/** The command lines of weak-modules and weak-modules2, decided by the loader's own rules. */
@NullMarked
package dev.weaklink.dialect;

import org.jspecify.annotations.NullMarked;
