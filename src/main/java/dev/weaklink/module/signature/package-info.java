/** The keys that a kernel trusts, and the verification of module signatures with these keys. */
@NullMarked
package dev.weaklink.module.signature;

import org.jspecify.annotations.NullMarked;
