/** Decompression by magic bytes, within limits. */
@NullMarked
package dev.weaklink.codec;

import org.jspecify.annotations.NullMarked;
