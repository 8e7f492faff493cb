/** Decompression by magic bytes, within limits. */
@NullMarked
package dev.weaklink.format.codec;

import org.jspecify.annotations.NullMarked;
