package dev.weaklink.check;

import dev.weaklink.sys.Root;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.cache.FactsCache;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options for reading modules.
 *
 * @param threads the number of modules read at the same time, at least 1
 * @param cache the facts of earlier runs; {@link FactsCache#save} writes the facts that this run adds
 * @param causes the source of causes, null if nobody requests causes
 */
public record ReadOptions(
        int threads, FactsCache cache, @Nullable CauseSource causes) {
    public ReadOptions(int threads, FactsCache cache) {
        this(threads, cache, null);
    }

    public ReadOptions with(int others) {
        return new ReadOptions(others, cache, causes);
    }

    public CauseSource.TargetCauses causesOn(Root root, @Nullable Path store, CheckTarget target) {
        return Objects.requireNonNull(causes, "no source of causes").on(root, store, target, this);
    }

    public GivenPackages packages() {
        return new GivenPackages(cache, threads);
    }

    public static ReadOptions uncached(int threads) {
        return new ReadOptions(threads, FactsCache.NONE);
    }
}
