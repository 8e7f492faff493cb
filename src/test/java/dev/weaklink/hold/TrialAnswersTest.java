package dev.weaklink.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.hold.Hold.TrialAnswer;
import dev.weaklink.hold.OfferAnswer.Fit;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.rebuild.run.KeptTrials;
import dev.weaklink.rebuild.run.TrialInputs;
import dev.weaklink.report.Schemas;
import dev.weaklink.sys.Root;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrialAnswersTest {
    private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");
    private static final Duration WAIT = Duration.ofHours(6);
    private static final String PRODUCT = "acme/1.0";
    private static final OfferedKernel KERNEL = kernel(9);

    @TempDir
    Path directory;

    private KeptTrials kept;

    private static OfferedKernel kernel(int number) {
        OfferedPackage image = new OfferedPackage("linux-image-" + number, number + "-1", "amd64");
        return new OfferedKernel("6.1.0-" + number, "r", List.of(image), null, List.of(), false, true, null);
    }

    @BeforeEach
    void makeSource() throws IOException {
        writeSource("int acme;\n");
        kept = new KeptTrials(Root.of(directory));
    }

    private void writeSource(String text) throws IOException {
        Path source = Files.createDirectories(directory.resolve("usr/src/acme-1.0"));
        Files.writeString(source.resolve("acme.c"), text);
    }

    private void keep(TrialResult result, String offer, Instant tried) throws IOException {
        String source = TrialInputs.source(PRODUCT, directory.resolve("usr/src/acme-1.0"));
        kept.keep(new Trial(
                PRODUCT,
                KERNEL.release(),
                result,
                "acme.c:1: error",
                "",
                List.of(),
                tried.toString(),
                "",
                offer,
                source));
    }

    private static OfferAnswer refusing(OfferedKernel kernel) {
        return new OfferAnswer(kernel, Fit.REFUSED, List.of("acme", "other"), "");
    }

    private Map<String, Map<String, TrialAnswer>> answers(
            KeptHold before, @Nullable Duration wait, boolean isReleaseUnique, OfferedKernel... kernels)
            throws IOException {
        List<OfferAnswer> offered = new ArrayList<>();
        for (OfferedKernel kernel : kernels) {
            offered.add(refusing(kernel));
        }
        return new TrialAnswers(kept, before, wait, isReleaseUnique, NOW).of(offered, Map.of("acme", PRODUCT), newer);
    }

    private @Nullable TrialAnswer answer(KeptHold before, @Nullable Duration wait) throws IOException {
        return answers(before, wait, false, KERNEL)
                .getOrDefault(KERNEL.key(), Map.of())
                .get("acme");
    }

    private Map<String, OfferedPackage> newer = Map.of();

    private static final KeptHold NONE = new KeptHold(List.of());

    /** Returns this run's report as the next run reads it. */
    private KeptHold report(TrialAnswer answer) throws IOException {
        Hold.Site site = new Hold.Site(false, Set.of(), Set.of("acme"), Map.of(KERNEL.key(), Map.of("acme", answer)));
        Hold hold = Hold.of(
                new Offers(Offers.APT, List.of(KERNEL), List.of(), List.of()),
                List.of(),
                List.of(new OfferAnswer(KERNEL, Fit.REFUSED, List.of("acme"), "")),
                Map.of(),
                site,
                Map.of(),
                "2026-11-26");
        byte[] json = new HoldReport("apt", true, true, false, hold, List.of()).json();
        assertThat(Schemas.problems(new String(json, StandardCharsets.UTF_8))).isEmpty();
        return KeptHold.of(json);
    }

    @Test
    void waitsForATrialFromTheFirstRunUntilTheWaitIsOver() throws IOException {
        TrialAnswer first = Objects.requireNonNull(answer(NONE, WAIT));
        assertThat(first).isEqualTo(new TrialAnswer(PRODUCT, null, NOW.toString(), false, true));

        KeptHold before = report(new TrialAnswer(PRODUCT, null, "2026-11-26T07:00:00Z", false, true));
        assertThat(before.held().get(0).line("")).contains("the trial build of acme/1.0 has not ended");
        assertThat(answer(before, WAIT)).isEqualTo(new TrialAnswer(PRODUCT, null, "2026-11-26T07:00:00Z", false, true));
        assertThat(answer(before, Duration.ofHours(4)))
                .isEqualTo(new TrialAnswer(PRODUCT, null, "2026-11-26T07:00:00Z", true, true));
    }

    @Test
    void waitsAnewIfTheClockWasAhead() throws IOException {
        KeptHold before = report(new TrialAnswer(PRODUCT, null, "2036-11-26T07:00:00Z", false, true));
        assertThat(Objects.requireNonNull(answer(before, WAIT)).awaited()).isEqualTo(NOW.toString());
    }

    @Test
    void takesAKeptResultUntilTheSourceChanges() throws IOException {
        keep(TrialResult.DOES_NOT_COMPILE, KERNEL.key(), NOW);
        TrialAnswer answer = Objects.requireNonNull(answer(NONE, WAIT));
        assertThat(Objects.requireNonNull(answer.trial()).result()).isEqualTo(TrialResult.DOES_NOT_COMPILE);
        assertThat(answer.isDue()).isFalse();
        assertThat(report(answer).held().get(0).line(""))
                .isEqualTo("weaklink: 6.1.0-9 is held back since 2026-11-26: acme/1.0 does not compile:"
                        + " acme.c:1: error; 'weaklink hold' shows what would release it");

        writeSource("int fixed;\n");
        KeptHold before = report(answer);
        assertThat(answer(before, WAIT)).isEqualTo(new TrialAnswer(PRODUCT, null, NOW.toString(), false, true));
    }

    private static final OfferedPackage NEWER = new OfferedPackage("acme-dkms", "2.0-1", "all");

    private void keepNewer(TrialResult result, Instant tried) throws IOException {
        kept.keep(new Trial(
                "acme/2.0",
                KERNEL.release(),
                result,
                "acme.c:9: error",
                "",
                List.of(),
                tried.toString(),
                "",
                TrialInputs.offer(KERNEL, NEWER),
                "0"));
    }

    @Test
    void triesAnOfferedNewerSourceIfTheInstalledSourceFails() throws IOException {
        newer = Map.of("acme", NEWER);
        assertThat(Objects.requireNonNull(answer(NONE, WAIT)).holds()).isTrue();
        keep(TrialResult.DOES_NOT_COMPILE, KERNEL.key(), NOW);
        TrialAnswer failed = Objects.requireNonNull(answer(NONE, WAIT));
        assertThat(failed.isDue()).isTrue();
        assertThat(failed.holds()).isTrue();
        assertThat(Objects.requireNonNull(failed.newer()).offered()).isEqualTo(NEWER);
        assertThat(Objects.requireNonNull(answer(NONE, null)).isDue()).isFalse();

        keepNewer(TrialResult.DOES_NOT_COMPILE, NOW);
        TrialAnswer both = Objects.requireNonNull(answer(NONE, WAIT));
        assertThat(both.isDue()).isFalse();
        assertThat(both.holds()).isTrue();
        assertThat(report(both).held()).hasSize(1);
        assertThat(Objects.requireNonNull(Objects.requireNonNull(both.newer()).trial())
                        .offeredSource())
                .isEqualTo("acme-dkms=2.0-1");
    }

    @Test
    void letsTheKernelInIfTheModulesOfTheOfferedSourceWouldLoad() throws IOException {
        newer = Map.of("acme", NEWER);
        keep(TrialResult.DOES_NOT_COMPILE, KERNEL.key(), NOW);
        keepNewer(TrialResult.LOADS, NOW);
        TrialAnswer answer = Objects.requireNonNull(answer(NONE, WAIT));
        assertThat(answer.isDue()).isFalse();
        assertThat(answer.holds()).isFalse();
        assertThat(report(answer).held()).isEmpty();

        newer = Map.of("acme", new OfferedPackage("acme-dkms", "2.0-2", "all"));
        assertThat(Objects.requireNonNull(answer(NONE, WAIT)).holds()).isTrue();
    }

    @Test
    void repeatsLaterAnOfferedSourceThatCouldNotBeTried() throws IOException {
        newer = Map.of("acme", NEWER);
        keep(TrialResult.DOES_NOT_COMPILE, KERNEL.key(), NOW);
        keepNewer(TrialResult.NOT_TRIED, NOW);
        assertThat(Objects.requireNonNull(answer(NONE, WAIT)).isDue()).isFalse();
        keepNewer(TrialResult.NOT_TRIED, NOW.minus(Duration.ofHours(30)));
        assertThat(Objects.requireNonNull(answer(NONE, WAIT)).isDue()).isTrue();
        assertThat(Objects.requireNonNull(answer(NONE, WAIT)).holds()).isTrue();
    }

    @Test
    void triesNoOfferedSourceIfTheInstalledSourceCompiles() throws IOException {
        newer = Map.of("acme", NEWER);
        keep(TrialResult.LOADS, KERNEL.key(), NOW);
        TrialAnswer answer = Objects.requireNonNull(answer(NONE, WAIT));
        assertThat(answer.newer()).isNull();
        assertThat(answer.isDue()).isFalse();
    }

    @Test
    void ignoresResultsOfAnotherBuildOfTheKernel() throws IOException {
        keep(TrialResult.LOADS, "6.1.0-9 8-1", NOW);
        keep(TrialResult.LOADS, "", NOW);
        assertThat(Objects.requireNonNull(answer(NONE, WAIT)).trial()).isNull();
    }

    @Test
    void takesResultsWithGivenHeadersIfTheReleaseNamesOneBuild() throws IOException {
        keep(TrialResult.LOADS, "", NOW);
        TrialAnswer answer = answers(NONE, WAIT, true, KERNEL).get(KERNEL.key()).get("acme");
        assertThat(Objects.requireNonNull(answer).trial()).isNotNull();
    }

    @Test
    void repeatsLaterABuildThatCouldNotBeTriedAndDoesNotWaitForIt() throws IOException {
        keep(TrialResult.NOT_TRIED, KERNEL.key(), NOW.minus(Duration.ofHours(1)));
        TrialAnswer answer = Objects.requireNonNull(answer(NONE, WAIT));
        assertThat(answer.isDue()).isFalse();
        assertThat(report(answer).held()).isEmpty();

        keep(TrialResult.NOT_TRIED, KERNEL.key(), NOW.minus(Duration.ofHours(30)));
        answer = Objects.requireNonNull(answer(NONE, WAIT));
        assertThat(answer.isDue()).isTrue();
        assertThat(report(answer).held()).isEmpty();
    }

    @Test
    void waitsForNothingIfNoTrialIsStarted() throws IOException {
        assertThat(answer(NONE, null)).isNull();
    }

    @Test
    void waitsForTheNewestKernelsOnly() throws IOException {
        assertThat(answers(NONE, WAIT, false, kernel(5), kernel(6), kernel(7), kernel(8), KERNEL))
                .containsOnlyKeys("6.1.0-9 9-1", "6.1.0-8 8-1", "6.1.0-7 7-1");
    }

    @Test
    void countsASourceThatCannotBeReadAsNotTried() throws IOException {
        Files.delete(directory.resolve("usr/src/acme-1.0/acme.c"));
        Files.delete(directory.resolve("usr/src/acme-1.0"));
        Trial trial = Objects.requireNonNull(
                Objects.requireNonNull(answer(NONE, WAIT)).trial());
        assertThat(trial.result()).isEqualTo(TrialResult.NOT_TRIED);
        assertThat(trial.line()).isEqualTo("its source cannot be read: no such file");
    }
}
