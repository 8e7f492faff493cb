/**
 * Reads and writes JSON. {@link JsonTree}, the class to open first, reads a small document into memory, and treats a
 * key whose value is null as absent. {@link JsonOutput} writes values to a stream, also when a document is too large
 * for memory. Invalid or truncated input throws an {@code UnreadableException}.
 */
@NullMarked
package dev.weaklink.format.json;

import org.jspecify.annotations.NullMarked;
