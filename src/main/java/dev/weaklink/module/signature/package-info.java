/** Whose keys a kernel trusts, and whether a module's signature is by one of them. */
@NullMarked
package dev.weaklink.module.signature;

import org.jspecify.annotations.NullMarked;
