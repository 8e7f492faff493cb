/** The command lines of weak-modules and weak-modules2, decided by the rules of the kernel's module loader. */
@NullMarked
package dev.weaklink.compat;

import org.jspecify.annotations.NullMarked;
