/**
 * Reads ELF files, such as modules, from byte arrays. {@link ElfHeader} reads the header as the kernel reads it.
 * {@link ElfImage}, the class to open first, opens a file and reads numbers and strings in it. {@link SectionTable}
 * decodes the section headers. A section table outside the file throws an {@code UnreadableException}.
 */
@NullMarked
package dev.weaklink.format.elf;

import org.jspecify.annotations.NullMarked;
