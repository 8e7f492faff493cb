/**
 * The stand-in for a vendor's installation image, {@code test-fixtures/mlnx-stand-in}: how tests
 * make and run one, and proof that it keeps its contract.
 */
@NullMarked
package dev.weaklink.standin;

import org.jspecify.annotations.NullMarked;
