package dev.weaklink.check;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code weaklink explain}.
 *
 * @param root the root directory of the installed kernels, null for the running system
 * @param from the older kernel as typed, or its packages; empty for the kernel that the modules were built for
 * @param to the newer kernel as typed, or its packages
 * @param symbols the symbols to compare; without symbols and modules, all symbols are compared
 * @param modules files, directories or names of modules, whose imports are compared
 * @param stablelist a kABI stablelist, the file of the symbols whose changes count; null for none
 * @param store the directory of stored kernels, null for the root's default store
 * @param reading the options for reading modules
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
