/** Weak links on disk: changed in transactions that can be recovered and undone. */
@NullMarked
package dev.weaklink.links;

import org.jspecify.annotations.NullMarked;
