/** Packages and archives as streams of entries, within limits; nothing is unpacked to disk. */
@NullMarked
package dev.weaklink.format.archive;

import org.jspecify.annotations.NullMarked;
