package dev.weaklink.rebuild;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weaklink.check.result.OfferAnswer;
import dev.weaklink.check.result.OfferAnswer.Fit;
import dev.weaklink.rebuild.Hold.Decision;
import dev.weaklink.rebuild.Hold.Site;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers;
import dev.weaklink.system.offers.Offers.Dependent;
import dev.weaklink.system.offers.Offers.Driver;
import dev.weaklink.system.offers.Offers.Need;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is held, and what a rebuild lets in. */
class HoldTest {
    private static final OfferedPackage IMAGE = offered("linux-image-9", "9");
    private static final OfferedKernel KERNEL = new OfferedKernel("9", "r", List.of(IMAGE), null, false, true, null);

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
                Map.of(Hold.key(KERNEL), "before"),
                "today");
    }

    private static Decision refused(boolean rebuilds, boolean evenThen, Set<String> rebuildable, Set<String> byDkms) {
        return hold(Fit.REFUSED, new Site(rebuilds, evenThen, rebuildable, byDkms))
                .kernels()
                .get(0)
                .decision();
    }

    @Test
    void onlyARebuildThatWillBeDoneLetsAKernelIn() {
        Set<String> both = Set.of("a", "b");
        assertThat(refused(false, false, both, Set.of())).isEqualTo(Decision.HELD);
        assertThat(refused(false, false, both, both)).isEqualTo(Decision.LET_IN_TO_REBUILD);
        assertThat(refused(true, false, both, Set.of())).isEqualTo(Decision.LET_IN_TO_REBUILD);
        assertThat(refused(true, false, both, Set.of("a"))).isEqualTo(Decision.LET_IN_TO_REBUILD);
        assertThat(refused(true, false, Set.of("a"), Set.of("a"))).isEqualTo(Decision.HELD);
        assertThat(refused(true, true, both, both)).isEqualTo(Decision.HELD);
    }

    @Test
    void onlyWhatIsRefusedIsHeldAndItsDayStays() {
        Site site = new Site(false, false, Set.of(), Set.of());
        for (Fit fit : Fit.values()) {
            Hold hold = hold(fit, site);
            boolean held = fit == Fit.REFUSED;
            assertThat(hold.packages()).isEqualTo(held ? List.of(IMAGE) : List.of());
            assertThat(hold.kernels().get(0).since()).isEqualTo(held ? "before" : null);
        }
    }

    @Test
    void whatCannotBeInstalledWithoutAHeldKernelIsHeldAndNothingElse() {
        Dependent meta = dependent("linux-image-amd64", "9", new Need("linux-image-9", "9"));
        Dependent above = dependent("linux-generic", "9", new Need("linux-image-amd64", "9"));
        Dependent any = dependent("linux-tools", "9", new Need("linux-image-amd64", null));
        Dependent older = dependent("linux-image-amd64", "8", new Need("linux-image-8", "8"));
        Dependent either = needing(
                offered("linux-perf", "9"), List.of(new Need("linux-image-9", "9"), new Need("linux-image-8", "8")));

        Site site = new Site(false, false, Set.of(), Set.of());
        assertThat(hold(Fit.REFUSED, site, above, any, meta, older, either).packages())
                .containsExactly(above.own(), IMAGE, meta.own());
        Dependent unversioned = dependent("proxmox-kernel-6.8", "9", new Need("linux-image-9", null));
        assertThat(hold(Fit.REFUSED, site, any, unversioned).packages()).containsExactly(IMAGE, unversioned.own());
    }

    private static Dependent dependent(String name, String version, Need need) {
        return needing(offered(name, version), List.of(need));
    }

    private static Dependent needing(OfferedPackage own, List<Need> any) {
        return new Dependent(own, List.of(any), false, Set.of(), Map.of());
    }

    @Test
    void aBuildOfTheDriverThatNeedsTheKernelLetsItInAndOneThatIsOnlyNewerIsNamed() {
        Site site = new Site(false, false, Set.of(), Set.of());
        Need image = new Need("linux-image-9", null);
        Dependent newer = dependent("driver-a", "1:1-2", new Need("libc6", null));
        Dependent same = dependent("driver-a", "1:1-1", image);
        Dependent older = dependent("driver-a", "2-9", image);
        Dependent fitting = dependent("driver-a", "1:1.0-1", image);
        Dependent ofOther = dependent("driver-b-9", "1", new Need("libc6", null));
        assertThat(newer(hold(Fit.REFUSED, site, newer, same, older))).containsExactly("a in driver-a=1:1-2 comes");
        assertThat(newer(hold(Fit.REFUSED, site, fitting, ofOther)))
                .containsExactly("a in driver-a=1:1.0-1 fits comes", "b in driver-b-9=1 fits");
        assertThat(hold(Fit.REFUSED, site, fitting, ofOther).packages()).contains(IMAGE);

        Dependent wanted = new Dependent(ofOther.own(), ofOther.needs(), true, Set.of("unknown"), Map.of());
        assertThat(hold(Fit.REFUSED, site, fitting, wanted).kernels().get(0).decision())
                .isEqualTo(Decision.LET_IN_WITH_DRIVER);
        assertThat(hold(Fit.REFUSED, site, newer, wanted).packages()).contains(IMAGE);
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
