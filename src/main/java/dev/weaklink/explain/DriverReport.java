package dev.weaklink.explain;

import dev.weaklink.format.btf.TypeGraph;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.loader.TypeChange;
import dev.weaklink.module.ModuleData;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A module's use of the types and symbols that changed between two kernels.
 *
 * @param module the module's name
 * @param difference the changes of the symbols that the module imports
 * @param typed whether the module's own types were read
 * @param unusable the reason why the module's own types cannot be read, else null
 * @param uses the uses of changed types, the strongest first
 * @param removed the removed symbols whose uses in the module's source code may need a change
 * @param implied the other removed symbols; the compiler or the kernel's headers call most of them, and some of the
 *     names are macros now
 */
public record DriverReport(
        String module,
        KernelDifference difference,
        boolean typed,
        @Nullable String unusable,
        List<TypeUse> uses,
        List<Removed> removed,
        List<String> implied) {
    /** The suffix of allocation functions whose plain name became a macro in 6.10. */
    private static final String WRAPPED = "_noprof";

    /**
     * The suffixes of functions that a macro or inline function wraps: the functions of {@link #WRAPPED}, functions
     * with a drop reason (5.17 on), and functions of sysctl tables (6.6 on).
     */
    private static final List<String> MORE = List.of(WRAPPED, "_reason", "_sz");

    /** The prefix of the functions behind {@code strscpy} and similar macros. */
    private static final String SIZED = "sized_";

    public DriverReport {
        uses = List.copyOf(uses);
        removed = List.copyOf(removed);
        implied = List.copyOf(implied);
    }

    /**
     * A removed symbol whose use in the module's source code may need a change.
     *
     * @param symbol the imported symbol
     * @param function whether the symbol is known to be a function
     * @param now the name in the source code, if that name was a macro or inline function around the symbol, and is now
     *     an exported function whose parameters differ or are unknown; else null
     */
    public record Removed(
            String symbol, boolean function, @Nullable String now) {
        private String text() {
            return now == null ? symbol + (function ? "() (removed)" : " (removed)") : now + "() (was " + symbol + ")";
        }
    }

    /**
     * Reports how a module uses the types and symbols that changed between two kernels.
     *
     * @param before the older kernel, usually the kernel that the module was built for
     * @param after the newer kernel
     * @param own the module's types, based on the types of {@code before}; null if there are no such types or they
     *     cannot be read
     * @param unusable the reason why the module's types cannot be read, or null
     * @param data the module's variables
     * @param imports the symbols that the module imports
     * @param difference the changes of these symbols, with the causes of changed CRCs
     */
    public static DriverReport of(
            String module,
            KernelSide before,
            KernelSide after,
            @Nullable TypeGraph own,
            @Nullable String unusable,
            ModuleData data,
            Collection<String> imports,
            KernelDifference difference) {
        List<TypeChange> causes = new ArrayList<>();
        for (CauseCount count : difference.causes()) {
            causes.add(count.change());
            // The other possible causes are sorted, the worst first.
            count.others().keySet().stream().limit(1).forEach(causes::add);
        }
        List<TypeUse> uses = DriverUses.find(before, after, own, data, imports, causes);
        List<Removed> removed = new ArrayList<>();
        List<String> implied = new ArrayList<>();
        for (ExportChange other : difference.others()) {
            if (other.kind() == ExportChange.ExportChangeKind.REMOVED) {
                Removed written = written(other.symbol(), before, after);
                if (written == null) {
                    implied.add(other.symbol());
                } else {
                    removed.add(written);
                }
            }
        }
        return new DriverReport(module, difference, own != null, unusable, uses, removed, implied);
    }

    private static @Nullable Removed written(String symbol, KernelSide before, KernelSide after) {
        if (isWrapped(symbol, before, after)) {
            return null;
        }
        if (isWritten(symbol)) {
            return new Removed(symbol, before.prototype(symbol) != null, null);
        }
        String plain = symbol.substring(underscores(symbol));
        boolean becameFunction = !plain.equals(symbol) && after.exports(plain) && !before.exports(plain);
        return becameFunction && !isSame(symbol, before, plain, after) ? new Removed(symbol, true, plain) : null;
    }

    /**
     * Returns whether source code may name this symbol. Symbols with a leading underscore or the suffix
     * {@link #WRAPPED} are mostly called by macros and inline functions of the kernel's headers.
     */
    static boolean isWritten(String symbol) {
        return !symbol.startsWith("_") && !symbol.endsWith(WRAPPED);
    }

    /**
     * Returns whether the symbol's name seems to have become a macro or inline function. The newer kernel then exports
     * a new symbol with a similar name, such as {@code vzalloc_noprof}, {@code __kmem_cache_create_args} or
     * {@code sized_strscpy}.
     */
    private static boolean isWrapped(String symbol, KernelSide before, KernelSide after) {
        ExportTable exports = after.exports();
        for (int row = 0; row < exports.size(); row++) {
            String other = exports.symbol(row);
            if (other.contains(symbol) && !before.exports(other) && isAround(other, symbol)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAround(String other, String symbol) {
        String plain = other.substring(underscores(other));
        return MORE.stream().anyMatch(more -> other.equals(symbol + more))
                || MORE.stream().anyMatch(other::endsWith) && plain.startsWith(symbol + "_")
                || !plain.equals(other) && (plain.startsWith(symbol + "_") || plain.equals(symbol))
                || other.equals(SIZED + symbol);
    }

    private static int underscores(String symbol) {
        int count = 0;
        while (count < symbol.length() - 1 && symbol.charAt(count) == '_') {
            count++;
        }
        return count;
    }

    /**
     * Returns whether the exported function {@code now} accepts the first arguments of {@code old}; false if a
     * prototype is unknown. In the older kernel, {@code now} was a macro or inline function that supplied the last
     * arguments of {@code old}, such as a lock class key.
     */
    private static boolean isSame(String old, KernelSide before, String now, KernelSide after) {
        KernelSide.Definition was = before.prototype(old);
        KernelSide.Definition is = after.prototype(now);
        return was != null && is != null && Callers.fitBeginning(was, is);
    }

    /**
     * Returns the names in the source code that most likely need a change: removed symbols, called functions whose
     * prototype changed, and changed members that the module sets.
     */
    public List<String> firm() {
        List<String> firm = new ArrayList<>();
        uses.forEach(use -> firm.addAll(use.firm()));
        removed.forEach(symbol -> firm.add(symbol.text()));
        return firm;
    }

    /**
     * Returns the members of changed types that the source code can reach, although the module's file does not show
     * whether the code uses them.
     */
    public List<String> possible() {
        List<String> possible = new ArrayList<>();
        uses.forEach(use -> possible.addAll(use.members()));
        return possible;
    }
}
