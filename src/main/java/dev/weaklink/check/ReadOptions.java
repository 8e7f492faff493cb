package dev.weaklink.check;

import dev.weaklink.cache.FactsCache;

/**
 * How modules are read.
 *
 * @param threads how many of them, at least 1
 * @param cache facts read in earlier runs; what this one adds is written by {@link FactsCache#save}
 */
public record ReadOptions(int threads, FactsCache cache) {
  /** Everything anew. */
  public static ReadOptions anew(int threads) {
    return new ReadOptions(threads, FactsCache.NONE);
  }
}
