/**
 * Readers let loose on bytes of every kind; run by src/fuzz/fuzz.sh, and on their seeds as tests.
 */
@NullMarked
package dev.weaklink.fuzz;

import org.jspecify.annotations.NullMarked;
