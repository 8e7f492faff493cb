/** Why the CRC of a symbol changed from one kernel to another, by the types of both. Pure. */
@NullMarked
package dev.weaklink.explain;

import org.jspecify.annotations.NullMarked;
