package dev.weaklink.explain;

import dev.weaklink.loader.TypeChange;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A change and the symbols it accounts for.
 *
 * @param change what differs
 * @param symbols the symbols that have it for their most likely cause
 * @param only of how many of these it is the only possible one
 * @param others what else may have changed these, the worst first, and how many of them each
 * @param example a symbol it is the cause of, the first by name among those nearest to it
 */
public record CauseCount(
        TypeChange change, List<String> symbols, int only, Map<TypeChange, Integer> others, SymbolChange example) {
    public CauseCount {
        symbols = List.copyOf(symbols);
        others = Collections.unmodifiableMap(new LinkedHashMap<>(others));
    }
}
