package dev.weaklink.cli;

import dev.weaklink.check.CauseSource;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.system.cache.CachePlace;
import dev.weaklink.system.cache.FactsCache;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

final class ReadingOptions {
    private ReadingOptions() {}

    static ReadOptions of(ParseResult parsed, Console console, @Nullable CauseSource causes) {
        FactsCache cache = Options.isSet(parsed, Options.NO_CACHE)
                ? FactsCache.NONE
                : CachePlace.open(console.environment(), Options.root(parsed));
        return new ReadOptions(Options.jobs(parsed), cache, causes);
    }
}
