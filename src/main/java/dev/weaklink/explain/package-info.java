/** Explains why the CRC of a symbol changed from one kernel to another, from the types of both kernels. Pure. */
@NullMarked
package dev.weaklink.explain;

import org.jspecify.annotations.NullMarked;
