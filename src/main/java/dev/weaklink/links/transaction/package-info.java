/** Changes weak links on disk in transactions that can be recovered and undone. */
@NullMarked
package dev.weaklink.links.transaction;

import org.jspecify.annotations.NullMarked;
