/** Facts of one built kernel module: what the loader looks at, nothing else. */
@NullMarked
package dev.weaklink.module;

import org.jspecify.annotations.NullMarked;
