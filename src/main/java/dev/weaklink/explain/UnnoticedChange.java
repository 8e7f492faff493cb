package dev.weaklink.explain;

import dev.weaklink.loader.TypeChange;
import java.util.List;

/**
 * A type whose members moved although the CRCs of symbols that lead to it are equal, so that the kernel does not refuse
 * modules that were built with the other layout.
 *
 * @param symbols the symbols, by name
 */
public record UnnoticedChange(TypeChange change, List<String> symbols) {
    public UnnoticedChange {
        symbols = List.copyOf(symbols);
    }
}
