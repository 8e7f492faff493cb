package dev.weaklink.check;

import dev.weaklink.sys.Root;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.cache.FactsCache;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How modules are read.
 *
 * @param threads how many of them, at least 1
 * @param cache facts read in earlier runs; what this one adds is written by {@link FactsCache#save}
 * @param causes the source of causes; null where nobody asks for causes
 */
public record ReadOptions(
        int threads, FactsCache cache, @Nullable CauseSource causes) {
    /** Options without a source of causes. */
    public ReadOptions(int threads, FactsCache cache) {
        this(threads, cache, null);
    }

    /** Returns the same options for another number of threads. */
    public ReadOptions with(int others) {
        return new ReadOptions(others, cache, causes);
    }

    /** Opens the source of causes for verdicts on one kernel. */
    public CauseSource.TargetCauses causesOn(Root root, @Nullable Path store, OpenTarget target) {
        return Objects.requireNonNull(causes, "no source of causes").on(root, store, target, this);
    }

    /** The packages of a run, read like this. */
    public GivenPackages packages() {
        return new GivenPackages(cache, threads);
    }

    /** Reads everything again. */
    public static ReadOptions uncached(int threads) {
        return new ReadOptions(threads, FactsCache.NONE);
    }
}
