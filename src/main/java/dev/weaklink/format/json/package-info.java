/** Reads and writes JSON: small documents as trees; what counts in time or size as a stream. */
@NullMarked
package dev.weaklink.format.json;

import org.jspecify.annotations.NullMarked;
