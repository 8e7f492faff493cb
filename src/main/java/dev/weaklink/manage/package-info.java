/** From what is installed to a plan for it, and to its being carried out. */
@NullMarked
package dev.weaklink.manage;

import org.jspecify.annotations.NullMarked;
