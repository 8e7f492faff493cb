package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Trial;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.LockFile.Holder;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The trial builds of the running system.
 *
 * @param running the process that is making trial builds now, with its present build; null if there is none
 * @param since the UTC time when that process started; empty if unknown
 * @param results the kept results, the latest first
 */
public record TrialStatus(@Nullable String running, String since, List<KeptResult> results) {
    public TrialStatus {
        results = List.copyOf(results);
    }

    /**
     * A kept result.
     *
     * @param isValid true if the source, the compiler and, if they can be compared, the headers are still the same
     */
    public record KeptResult(Trial trial, boolean isValid) {}

    public static TrialStatus read() throws IOException {
        Root root = Root.of(null);
        KeptTrials kept = new KeptTrials(root);
        Holder holder = LockFile.heldBy(root.resolve(KeptTrials.LOCK));
        List<KeptResult> results = new ArrayList<>();
        for (Trial trial : kept.all()) {
            results.add(new KeptResult(trial, kept.isValid(trial)));
        }
        Optional<Instant> start = holder == null
                ? Optional.empty()
                : ProcessHandle.of(holder.pid())
                        .flatMap(process -> process.info().startInstant());
        String since = start.map(time -> time.truncatedTo(ChronoUnit.SECONDS).toString())
                .orElse("");
        return new TrialStatus(holder == null ? null : holder.words(), since, results);
    }
}
