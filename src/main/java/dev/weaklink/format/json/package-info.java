/**
 * Reads and writes JSON. {@link JsonTree}, the class to open first, reads a small document into memory.
 * {@link JsonOutput} writes values to a stream, also when a document is too large for memory. A key whose value is null
 * is neither read nor written. Invalid or truncated input throws an {@code UnreadableException}.
 */
@NullMarked
package dev.weaklink.format.json;

import org.jspecify.annotations.NullMarked;
