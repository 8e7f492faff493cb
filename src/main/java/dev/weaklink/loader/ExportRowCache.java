package dev.weaklink.loader;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.SymbolNames;
import dev.weaklink.sys.Workers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * A cache of lookups in a target kernel's export table: the row of each symbol that a module imports. The rows of
 * modules passed to {@link #prepare} are looked up only once.
 */
public final class ExportRowCache {
    private static final int[] NONE = new int[0];

    /** The offset added to cached row numbers, so that 0 means "not looked up yet" and 1 means "not exported". */
    private static final int FIRST = 2;

    private static final int UNKNOWN = 0;
    private static final int WORTH_A_THREAD = 256;

    private final ExportTable exports;
    private final Map<KernelModule, int[]> rows = new IdentityHashMap<>();
    private final Map<SymbolNames, int[]> pools = new IdentityHashMap<>();

    public ExportRowCache(ExportTable exports) {
        this.exports = exports;
    }

    public void prepare(Collection<KernelModule> modules, int threads) {
        List<KernelModule> list = new ArrayList<>();
        for (KernelModule module : modules) {
            if (!rows.containsKey(module)) {
                list.add(module);
            }
        }
        int[][] found = new int[list.size()][];
        IntConsumer worker = new IntConsumer() {
            @Override
            public void accept(int index) {
                found[index] = lookUp(list.get(index));
            }
        };
        int useful = list.size() > WORTH_A_THREAD ? threads : 1;
        Workers.start(list.size(), useful, Workers.all(worker)).finish();
        for (int i = 0; i < found.length; i++) {
            rows.put(list.get(i), found[i]);
        }
    }

    /** Returns the first row of the export table for each import of a module; -1 for an import without a row. */
    public int[] of(KernelModule module) {
        int[] known = rows.get(module);
        return known != null ? known : lookUp(module);
    }

    private int[] lookUp(KernelModule module) {
        SymbolNames imports = module.imports().names();
        if (imports.size() == 0) {
            return NONE;
        }
        SymbolNames pool = imports.pool();
        if (pool == null) {
            return exports.find(imports);
        }
        int[] found = new int[imports.size()];
        int[] ofPool = rowsOf(pool);
        for (int i = 0; i < found.length; i++) {
            found[i] = rowInPool(ofPool, imports, i);
        }
        return found;
    }

    /**
     * Returns the row of a name, or -1, and keeps the answer for all modules that share the pool of names. Two threads
     * may look up one name at the same time; both find the same row.
     */
    private int rowInPool(int[] ofPool, SymbolNames imports, int index) {
        int at = imports.poolIndex(index);
        int row = ofPool[at];
        if (row == UNKNOWN) {
            row = exports.find(imports, index) + FIRST;
            ofPool[at] = row;
        }
        return row - FIRST;
    }

    private synchronized int[] rowsOf(SymbolNames pool) {
        return pools.computeIfAbsent(pool, p -> new int[p.size()]);
    }
}
