package dev.weaklink.hold;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.hold.Hold.HoldDecision;
import dev.weaklink.hold.Hold.Site;
import dev.weaklink.hold.Hold.TrialAnswer;
import dev.weaklink.hold.OfferAnswer.Fit;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers;
import dev.weaklink.system.offers.Offers.Dependent;
import dev.weaklink.system.offers.Offers.Driver;
import dev.weaklink.system.offers.Offers.Need;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the decision about each offered kernel, and the effect of rebuilds on it. */
class HoldTest {
    private static final OfferedPackage IMAGE = offered("linux-image-9", "9");
    private static final OfferedKernel KERNEL =
            new OfferedKernel("9", "r", List.of(IMAGE), null, List.of(), false, true, null);

    private static final Site NOTHING = new Site(false, Set.of(), Set.of(), Map.of());

    private static final List<Driver> DRIVERS = List.of(
            new Driver("a", "8", offered("driver-a", "1:1-1")),
            new Driver("b", "8", offered("driver-b-8", "1")),
            new Driver("c", "8", null));

    private static OfferedPackage offered(String name, String version) {
        return new OfferedPackage(name, version, "amd64");
    }

    private static Hold hold(Fit fit, Site site, Dependent... dependents) {
        OfferAnswer answer = new OfferAnswer(KERNEL, fit, List.of("a", "b"), "");
        return Hold.of(
                new Offers(Offers.APT, List.of(KERNEL), List.of(dependents), List.of()),
                DRIVERS,
                List.of(answer),
                Map.of(),
                site,
                Map.of(KERNEL.key(), "before"),
                "today");
    }

    private static HoldDecision refused(boolean rebuilds, Set<String> rebuildable, Set<String> byDkms) {
        return hold(Fit.REFUSED, new Site(rebuilds, rebuildable, byDkms, Map.of()))
                .kernels()
                .get(0)
                .decision();
    }

    @Test
    void letsAKernelInOnlyIfARebuildWillBeStarted() {
        Set<String> both = Set.of("a", "b");
        assertThat(refused(false, both, Set.of())).isEqualTo(HoldDecision.HELD);
        assertThat(refused(false, both, both)).isEqualTo(HoldDecision.LET_IN_TO_REBUILD);
        assertThat(refused(true, both, Set.of())).isEqualTo(HoldDecision.LET_IN_TO_REBUILD);
        assertThat(refused(true, both, Set.of("a"))).isEqualTo(HoldDecision.LET_IN_TO_REBUILD);
        assertThat(refused(true, Set.of("a"), Set.of("a"))).isEqualTo(HoldDecision.HELD);
    }

    private static Hold.KernelDecision tried(TrialAnswer ofA) {
        Set<String> both = Set.of("a", "b");
        TrialAnswer ofB = answer("b/1", trial("b/1", TrialResult.LOADS, ""));
        Site site = new Site(true, both, both, Map.of(KERNEL.key(), Map.of("a", ofA, "b", ofB)));
        return hold(Fit.REFUSED, site).kernels().get(0);
    }

    private static TrialAnswer answer(String product, @Nullable Trial trial) {
        return new TrialAnswer(product, trial, trial == null ? "2026-11-26T00:00:00Z" : null, false, trial == null);
    }

    private static Trial trial(String product, TrialResult result, String line) {
        return new Trial(product, "9", result, line, "", List.of(), "2026-11-26T01:00:00Z", "", KERNEL.key(), "");
    }

    @Test
    void letsAKernelInIfTheTrialBuildsSucceededOrCouldNotBeMade() {
        for (TrialResult result : List.of(TrialResult.LOADS, TrialResult.NOT_TRIED)) {
            Hold.KernelDecision kernel = tried(answer("a/1", trial("a/1", result, "")));
            assertThat(kernel.decision()).isEqualTo(HoldDecision.LET_IN_TO_REBUILD);
            assertThat(kernel.awaitsTrial()).isFalse();
            assertThat(kernel.trials()).hasSize(2);
        }
    }

    @Test
    void holdsAKernelIfATrialBuildFailedEvenIfRebuildsAreStarted() {
        for (TrialResult result : List.of(TrialResult.DOES_NOT_COMPILE, TrialResult.WOULD_BE_REFUSED)) {
            Hold.KernelDecision kernel = tried(answer("a/1", trial("a/1", result, "a.c:1: error")));
            assertThat(kernel.decision()).isEqualTo(HoldDecision.HELD);
            assertThat(kernel.holding()).containsExactly("a");
            assertThat(kernel.released()).isEqualTo("a newer source of a that compiles");
        }
    }

    @Test
    void holdsAKernelThatWaitsForATrialBuildUntilItHasWaitedTooLong() {
        Hold.KernelDecision waiting = tried(answer("a/1", null));
        assertThat(waiting.decision()).isEqualTo(HoldDecision.HELD);
        assertThat(waiting.released()).isEqualTo("the trial build of a, which is pending or running");
        assertThat(waiting.awaitsTrial()).isTrue();

        Hold.KernelDecision overdue = tried(new TrialAnswer("a/1", null, "2026-11-26T00:00:00Z", true, true));
        assertThat(overdue.decision()).isEqualTo(HoldDecision.LET_IN_TO_REBUILD);
        assertThat(overdue.awaitsTrial()).isTrue();
    }

    @Test
    void holdsOnlyRefusedKernelsAndKeepsTheirFirstDay() {
        for (Fit fit : Fit.values()) {
            Hold hold = hold(fit, NOTHING);
            boolean held = fit == Fit.REFUSED;
            assertThat(hold.packages()).isEqualTo(held ? List.of(IMAGE) : List.of());
            assertThat(hold.kernels().get(0).since()).isEqualTo(held ? "before" : null);
        }
    }

    @Test
    void alsoHoldsOnlyPackagesThatNeedAHeldKernel() {
        Dependent meta = dependent("linux-image-amd64", "9", new Need("linux-image-9", "9"));
        Dependent above = dependent("linux-generic", "9", new Need("linux-image-amd64", "9"));
        Dependent any = dependent("linux-tools", "9", new Need("linux-image-amd64", null));
        Dependent older = dependent("linux-image-amd64", "8", new Need("linux-image-8", "8"));
        Dependent either = needing(
                offered("linux-perf", "9"), List.of(new Need("linux-image-9", "9"), new Need("linux-image-8", "8")));

        assertThat(hold(Fit.REFUSED, NOTHING, above, any, meta, older, either).packages())
                .containsExactly(above.own(), IMAGE, meta.own());
        Dependent unversioned = dependent("proxmox-kernel-6.8", "9", new Need("linux-image-9", null));
        assertThat(hold(Fit.REFUSED, NOTHING, any, unversioned).packages()).containsExactly(IMAGE, unversioned.own());
    }

    private static Dependent dependent(String name, String version, Need need) {
        return needing(offered(name, version), List.of(need));
    }

    private static Dependent needing(OfferedPackage own, List<Need> any) {
        return new Dependent(own, List.of(any), false, Set.of(), Map.of());
    }

    @Test
    void letsAKernelInWithADriverMadeForItAndNamesNewerDrivers() {
        Need image = new Need("linux-image-9", null);
        Dependent newer = dependent("driver-a", "1:1-2", new Need("libc6", null));
        Dependent same = dependent("driver-a", "1:1-1", image);
        Dependent older = dependent("driver-a", "2-9", image);
        Dependent fitting = dependent("driver-a", "1:1.0-1", image);
        Dependent ofOther = dependent("driver-b-9", "1", new Need("libc6", null));
        assertThat(newer(hold(Fit.REFUSED, NOTHING, newer, same, older))).containsExactly("a in driver-a=1:1-2 comes");
        assertThat(newer(hold(Fit.REFUSED, NOTHING, fitting, ofOther)))
                .containsExactly("a in driver-a=1:1.0-1 fits comes", "b in driver-b-9=1 fits");
        assertThat(hold(Fit.REFUSED, NOTHING, fitting, ofOther).packages()).contains(IMAGE);

        Dependent wanted = new Dependent(ofOther.own(), ofOther.needs(), true, Set.of("unknown"), Map.of());
        assertThat(hold(Fit.REFUSED, NOTHING, fitting, wanted).kernels().get(0).decision())
                .isEqualTo(HoldDecision.LET_IN_WITH_DRIVER);
        assertThat(hold(Fit.REFUSED, NOTHING, newer, wanted).packages()).contains(IMAGE);
    }

    private static List<String> newer(Hold hold) {
        return hold.kernels().get(0).drivers().stream()
                .map(one -> one.module()
                        + (" in " + one.offered().name() + "=" + one.offered().version())
                        + (one.fits() ? " fits" : "")
                        + (one.comes() ? " comes" : ""))
                .toList();
    }
}
