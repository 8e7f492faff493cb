package dev.weaklink.hold;

import dev.weaklink.hold.Hold.NewerSource;
import dev.weaklink.hold.Hold.TrialAnswer;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.run.KeptTrials;
import dev.weaklink.rebuild.run.TrialInputs;
import dev.weaklink.sys.IoReason;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The trial builds that decide about offered kernels: results of earlier runs, and builds that a kernel still waits
 * for.
 */
final class TrialAnswers {
    /**
     * The maximum number of kernels for which trial builds are started. Kernels with earlier results count, too.
     * Kernels that an update would install come first, then the newest.
     */
    private static final int MOST_KERNELS = 3;

    /** The time after which weaklink repeats a trial build that could not run. */
    private static final Duration RETRY = Duration.ofHours(20);

    private final KeptTrials kept;
    private final KeptHold before;
    private final @Nullable Duration wait;
    private final boolean isReleaseUnique;
    private final Instant now;
    private final Map<String, SourceDigest> sources = new HashMap<>();

    /**
     * The digest of a product's source and the compiler.
     *
     * @param digest the digest; empty if the source cannot be read
     * @param problem the reason why the source cannot be read; empty if it can
     */
    private record SourceDigest(String digest, String problem) {}

    /**
     * Prepares the answers of one run.
     *
     * @param before the previous run's report
     * @param wait the longest time that a kernel waits for a trial build; null if this run starts no trial builds
     * @param isReleaseUnique whether a release names exactly one build of a kernel, as with RPM
     */
    TrialAnswers(KeptTrials kept, KeptHold before, @Nullable Duration wait, boolean isReleaseUnique, Instant now) {
        this.kept = kept;
        this.before = before;
        this.wait = wait;
        this.isReleaseUnique = isReleaseUnique;
        this.now = now.truncatedTo(ChronoUnit.SECONDS);
    }

    /**
     * Returns the trials by the kernel's key and the module's name.
     *
     * @param answers the answers, one for each kernel, from old to new
     * @param products the DKMS package that builds each module, as {@code NAME/VERSION}
     * @param newer the offered packages with newer sources, by the module's name
     */
    Map<String, Map<String, TrialAnswer>> of(
            List<OfferAnswer> answers, Map<String, String> products, Map<String, OfferedPackage> newer)
            throws IOException {
        Map<String, Map<String, TrialAnswer>> all = new HashMap<>();
        List<OfferAnswer> order = new ArrayList<>(answers);
        Collections.reverse(order);
        order.sort(Comparator.comparing(answer -> !answer.kernel().wanted()));
        int kernels = 0;
        for (OfferAnswer answer : order) {
            Map<String, TrialAnswer> trials = new TreeMap<>();
            for (String module : answer.refused()) {
                String product = products.get(module);
                boolean starts = kernels < MOST_KERNELS;
                TrialAnswer trial = product == null ? null : trial(answer.kernel(), product, starts);
                if (trial != null) {
                    trials.put(module, withNewer(trial, answer.kernel(), newer.get(module), starts));
                }
            }
            if (!trials.isEmpty()) {
                all.put(answer.kernel().key(), trials);
                kernels++;
            }
        }
        return all;
    }

    private @Nullable TrialAnswer trial(OfferedKernel kernel, String product, boolean starts) throws IOException {
        SourceDigest source = sources.computeIfAbsent(product, this::source);
        if (source.digest().isEmpty()) {
            Trial trial = new Trial(
                    product,
                    kernel.release(),
                    TrialResult.NOT_TRIED,
                    source.problem(),
                    "",
                    List.of(),
                    now.toString(),
                    "",
                    kernel.key(),
                    "");
            return new TrialAnswer(product, trial, null, false, false);
        }
        String release = isReleaseUnique ? kernel.release() : "";
        Trial trial = kept.offered(kernel.key(), release, product, source.digest());
        boolean canStart = wait != null && starts;
        if (trial != null) {
            boolean isRepeated = canStart && trial.result() == TrialResult.NOT_TRIED && isOld(trial);
            return new TrialAnswer(product, trial, null, false, isRepeated);
        }
        if (wait == null || !starts) {
            return null;
        }
        Instant since = timeOrDefault(awaited(kernel, product), now);
        return new TrialAnswer(product, null, since.toString(), since.plus(wait).isBefore(now), true);
    }

    /**
     * Adds an offered newer source if the installed source failed or has no result yet. After a failure, also adds the
     * newer source's trial build.
     */
    private TrialAnswer withNewer(
            TrialAnswer installed, OfferedKernel kernel, @Nullable OfferedPackage newer, boolean starts)
            throws IOException {
        Trial own = installed.trial();
        if (newer == null || own != null && !own.result().isFailure()) {
            return installed;
        }
        Trial trial = own == null ? null : kept.ofOffer(TrialInputs.offer(kernel, newer), installed.name());
        boolean isMissing = trial == null || trial.result() == TrialResult.NOT_TRIED && isOld(trial);
        return installed.with(new NewerSource(newer, trial), own != null && wait != null && starts && isMissing);
    }

    private boolean isOld(Trial trial) {
        return timeOrDefault(trial.tried(), Instant.EPOCH).plus(RETRY).isBefore(now);
    }

    private SourceDigest source(String product) {
        try {
            return new SourceDigest(TrialInputs.source(product, kept.source(product)), "");
        } catch (IOException e) {
            return new SourceDigest("", "its source cannot be read: " + IoReason.of(e));
        }
    }

    private String awaited(OfferedKernel kernel, String product) {
        for (KeptHold.ReportedKernel one : before.kernels()) {
            String since = one.key().equals(kernel.key()) ? one.awaited(product) : null;
            if (since != null) {
                return since;
            }
        }
        return "";
    }

    /** Returns the time in the text, or {@code otherwise} if the text is empty, not a time, or a time in the future. */
    private Instant timeOrDefault(String text, Instant otherwise) {
        try {
            Instant time = text.isEmpty() ? otherwise : Instant.parse(text);
            return time.isAfter(now) ? otherwise : time;
        } catch (DateTimeException e) {
            return otherwise;
        }
    }
}
