package dev.weaklink.explain;

import dev.weaklink.loader.TypeChange;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A changed type, and the symbols with changed CRCs that the change explains.
 *
 * @param change the changed type
 * @param symbols the symbols whose most likely cause is this change
 * @param only the number of these symbols that can have no other cause
 * @param others the other possible causes, worst first, each with the number of symbols it may explain
 * @param example a symbol that shows the cause well: if possible without a leading underscore, and with a short path to
 *     the changed type
 */
public record CauseCount(
        TypeChange change, List<String> symbols, int only, Map<TypeChange, Integer> others, SymbolChange example) {
    public CauseCount {
        symbols = List.copyOf(symbols);
        others = Collections.unmodifiableMap(new LinkedHashMap<>(others));
    }
}
