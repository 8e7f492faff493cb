/** Bounded reading of ELF files; jelf is used here and nowhere else. */
@NullMarked
package dev.weaklink.format.elf;

import org.jspecify.annotations.NullMarked;
