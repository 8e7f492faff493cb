/**
 * What rebuilds modules in tests: the stand-in for a vendor's installation image, {@code
 * test-fixtures/mlnx-stand-in}, with proof that it keeps its contract, and dkms in an image root.
 */
@NullMarked
package dev.weaklink.standin;

import org.jspecify.annotations.NullMarked;
