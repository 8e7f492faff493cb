/** Facts of modules read before, kept from run to run by the identity of their files. */
@NullMarked
package dev.weaklink.system.cache;

import org.jspecify.annotations.NullMarked;
