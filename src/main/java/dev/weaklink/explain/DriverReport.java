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
 * What a module does with what changed.
 *
 * @param module its name
 * @param difference what changed of what it imports
 * @param typed whether its own types were read
 * @param unusable why they could not be, although it has some; else null
 * @param uses the strongest first
 * @param removed what it imports and its source may name that the newer kernel does not export
 * @param implied what else it imports that is gone: the compiler or the kernel's headers call it
 */
public record DriverReport(
        String module,
        KernelDifference difference,
        boolean typed,
        @Nullable String unusable,
        List<TypeUse> uses,
        List<Removed> removed,
        List<String> implied) {
    /** What a function of the allocators is called where its name is a macro (6.10 on). */
    private static final String WRAPPED = "_noprof";

    /** The same of those that take a reason since 6.5, and of tables of sysctl since 6.6. */
    private static final List<String> MORE = List.of(WRAPPED, "_reason", "_sz");

    /** What {@code strscpy} and its kind are around (6.8 on). */
    private static final String SIZED = "sized_";

    public DriverReport {
        uses = List.copyOf(uses);
        removed = List.copyOf(removed);
        implied = List.copyOf(implied);
    }

    /**
     * What a source has to do without.
     *
     * @param symbol what is imported
     * @param function whether it is known to be a function
     * @param now what the source names as before, of which something else has become; else null
     */
    public record Removed(
            String symbol, boolean function, @Nullable String now) {
        private String text() {
            return now == null ? symbol + (function ? "() (removed)" : " (removed)") : now + "() (was " + symbol + ")";
        }
    }

    /**
     * Of each type that differs: all causes, and what else the module has to do with.
     *
     * @param before the kernel it was built for
     * @param after the newer one
     * @param own its types, null if it has none or they cannot be read
     * @param unusable why they cannot be read
     * @param data the module's variables
     * @param imports what it imports
     * @param difference why the CRCs of these changed
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
            // The worst that may be behind it comes first.
            count.others().keySet().stream().limit(1).forEach(causes::add);
        }
        List<TypeUse> uses = DriverUses.find(before, after, own, data, imports, causes);
        List<Removed> removed = new ArrayList<>();
        List<String> implied = new ArrayList<>();
        for (ExportChange other : difference.others()) {
            if (other.kind() == ExportChange.Kind.REMOVED) {
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

    /** A symbol that is gone, as a source names it; null if none does. */
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
     * Returns whether a source may name this symbol: the kernel's headers call those that begin with underscores, and
     * what their macros wrap.
     */
    static boolean isWritten(String symbol) {
        return !symbol.startsWith("_") && !symbol.endsWith(WRAPPED);
    }

    /**
     * Whether its name is a macro or inline function now, around one that only the newer kernel has:
     * {@code vzalloc_noprof}, {@code __kmem_cache_create_args}, {@code sized_strscpy}.
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
     * Whether calls of the macro or inline function around the old one fit the new one: what it adds itself comes last,
     * such as a key for locks.
     */
    private static boolean isSame(String old, KernelSide before, String now, KernelSide after) {
        KernelSide.Definition was = before.prototype(old);
        KernelSide.Definition is = after.prototype(now);
        return was != null && is != null && Callers.fitBeginning(was, is);
    }

    /** What its source has to be looked at for: functions that went, and what shows that it is used. */
    public List<String> firm() {
        List<String> firm = new ArrayList<>();
        uses.forEach(use -> firm.addAll(use.firm()));
        removed.forEach(symbol -> firm.add(symbol.text()));
        return firm;
    }

    /** Members of changed types within its reach, of which nothing shows that it uses them. */
    public List<String> possible() {
        List<String> possible = new ArrayList<>();
        uses.forEach(use -> possible.addAll(use.members()));
        return possible;
    }
}
