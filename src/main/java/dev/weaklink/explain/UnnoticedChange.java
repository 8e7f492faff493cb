package dev.weaklink.explain;

import dev.weaklink.loader.TypeChange;
import java.util.List;

/**
 * A type whose members moved although the CRCs of symbols that use the type are equal. The newer kernel therefore loads
 * modules that were built with the old layout.
 *
 * @param symbols the names of these symbols, sorted
 */
public record UnnoticedChange(TypeChange change, List<String> symbols) {
    public UnnoticedChange {
        symbols = List.copyOf(symbols);
    }
}
