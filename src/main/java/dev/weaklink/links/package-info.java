/** From what is installed to a plan of weak links for it, and to its being carried out. */
@NullMarked
package dev.weaklink.links;

import org.jspecify.annotations.NullMarked;
