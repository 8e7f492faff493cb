/**
 * Explains why the CRC of a symbol changed between two kernels. The input is the exports of both kernels and their
 * types (BTF); for a module, also its own symbols, relocations and types. The result is a list of causes, each a change
 * of one type that most likely led to the new CRC. Open {@link dev.weaklink.explain.KernelDifference} first: it lists
 * what differs between two kernels. {@link dev.weaklink.explain.CauseFinder} finds the causes of changed CRCs, and
 * {@code DriverUses} finds how a module uses the changed types. Tables and JSON of the results are in this package,
 * too. The package opens no files except the tables in weaklink's own jar.
 */
@NullMarked
package dev.weaklink.explain;

import org.jspecify.annotations.NullMarked;
