/** Debug information (DWARF 2 to 5), as far as it has types. */
@NullMarked
package dev.weaklink.format.dwarf;

import org.jspecify.annotations.NullMarked;
