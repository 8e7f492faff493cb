package dev.weaklink.check;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which kernels to compare.
 *
 * @param root where installed kernels are looked for, null for the running system
 * @param from the older kernel, as typed, or its packages; empty for the one that the modules were built for
 * @param to the newer kernel, as typed, or its packages
 * @param symbols of interest, empty for all
 * @param modules files, directories or names of modules: what they import is of interest
 * @param stablelist file of the only symbols that matter, a kABI stablelist; null for none
 * @param store where stored kernels are, null for the root's own
 * @param reading how modules are read
 */
public record ExplainRequest(
        @Nullable Path root,
        List<String> from,
        List<String> to,
        List<String> symbols,
        List<String> modules,
        @Nullable String stablelist,
        @Nullable Path store,
        ReadOptions reading) {
    public ExplainRequest {
        from = List.copyOf(from);
        to = List.copyOf(to);
        symbols = List.copyOf(symbols);
        modules = List.copyOf(modules);
    }
}
