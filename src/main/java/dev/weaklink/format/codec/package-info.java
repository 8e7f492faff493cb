/**
 * Decompresses files, streams and byte arrays within limits. The magic bytes of the data, never a file's name, decide
 * the compression. {@link FileContents}, the class to open first, loads one module file at a time into a reused array.
 * {@link Streams} opens text files as streams. {@link PayloadDecoder} decodes the payload of a kernel image. Truncated,
 * corrupt or too large data throws an {@code UnreadableException} whose message is the reason.
 */
@NullMarked
package dev.weaklink.format.codec;

import org.jspecify.annotations.NullMarked;
