/** Plans weak links for the installed modules and applies the plans. */
@NullMarked
package dev.weaklink.links;

import org.jspecify.annotations.NullMarked;
