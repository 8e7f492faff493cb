/** What a kernel's image says: what it exports, and how its loader decides. */
@NullMarked
package dev.weaklink.kernel.image;

import org.jspecify.annotations.NullMarked;
