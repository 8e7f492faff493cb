package dev.weaklink.fleet.intake;

import dev.weaklink.module.SymbolNames;
import org.jspecify.annotations.Nullable;

/**
 * What a node says of one module's file: the CRCs it was built with, and those it offers. Names of
 * all tables are picked from one pool.
 *
 * @param versions symbols in the order of the table, {@code module_layout} among them; null if the
 *     node found no table
 * @param crcs one for each of these, as 64 bits
 * @param exports symbols it exports; null if unknown
 * @param exportCrcs one for each of these
 * @param digest of the table, as {@code crcs} of a module gives it: {@code sha256:…}; null without
 *     a table
 */
public record ReportedTable(
    @Nullable SymbolNames versions,
    long[] crcs,
    @Nullable SymbolNames exports,
    long[] exportCrcs,
    @Nullable String digest) {}
