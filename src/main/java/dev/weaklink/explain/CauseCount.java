package dev.weaklink.explain;

/**
 * A change and the symbols it accounts for.
 *
 * @param change what differs
 * @param symbols how many symbols have it for their most likely cause
 * @param only of how many of these it is the only possible one
 * @param example a symbol it is the cause of, the first by name among those nearest to it
 */
public record CauseCount(TypeChange change, int symbols, int only, SymbolChange example) {}
