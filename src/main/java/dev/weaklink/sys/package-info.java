/** The only door to the outside: files below a root, locks, processes, the terminal. */
@NullMarked
package dev.weaklink.sys;

import org.jspecify.annotations.NullMarked;
