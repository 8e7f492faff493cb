package dev.weaklink.check;

import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.cache.FactsCache;

/**
 * How modules are read.
 *
 * @param threads how many of them, at least 1
 * @param cache facts read in earlier runs; what this one adds is written by {@link FactsCache#save}
 */
public record ReadOptions(int threads, FactsCache cache) {
    /** The packages of a run, read like this. */
    public GivenPackages packages() {
        return new GivenPackages(cache, threads);
    }

    /** Reads everything again. */
    public static ReadOptions uncached(int threads) {
        return new ReadOptions(threads, FactsCache.NONE);
    }
}
