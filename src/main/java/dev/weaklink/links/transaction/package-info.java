/** Weak links on disk: changed in transactions that can be recovered and undone. */
@NullMarked
package dev.weaklink.links.transaction;

import org.jspecify.annotations.NullMarked;
