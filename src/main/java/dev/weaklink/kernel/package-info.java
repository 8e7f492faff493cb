/** What a kernel offers, and how its loader decides. */
@NullMarked
package dev.weaklink.kernel;

import org.jspecify.annotations.NullMarked;
