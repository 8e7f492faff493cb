package dev.weaklink.hold;

import dev.weaklink.hold.OfferAnswer.Fit;
import dev.weaklink.rebuild.Trial;
import dev.weaklink.rebuild.Trial.TrialResult;
import dev.weaklink.sys.StableId;
import dev.weaklink.system.offers.OfferedKernel;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import dev.weaklink.system.offers.Offers;
import dev.weaklink.system.offers.Offers.Driver;
import dev.weaklink.system.offers.Offers.NewerDriver;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The decisions about the offered kernels that were checked. {@link #of} reads and writes no files.
 *
 * @param kernels the checked kernels, from old to new
 * @param packages the packages that the package manager must not install, sorted
 */
public record Hold(List<KernelDecision> kernels, List<OfferedPackage> packages) {
    public Hold {
        kernels = List.copyOf(kernels);
        packages = List.copyOf(packages);
    }

    public enum HoldDecision implements StableId {
        LET_IN,
        /**
         * The kernel is allowed because each refused module is to be rebuilt, or the same update installs a build of
         * it.
         */
        LET_IN_TO_REBUILD,
        /**
         * The kernel is allowed because the same update installs, for all refused modules, builds made for this kernel.
         */
        LET_IN_WITH_DRIVER,
        HELD
    }

    /**
     * An offered kernel with its decision.
     *
     * @param since the date since which the kernel has been held without a break; null if it is not held
     * @param stored the kernel's name in weaklink's store; null if the store does not contain it
     * @param holding the names of the modules because of which the kernel is held; empty if the kernel is allowed, or
     *     if the refusal names no module
     * @param released the change that would release the kernel; empty if the kernel is allowed
     * @param drivers the newer builds of the refused modules that repositories offer
     * @param trials the trial builds of the DKMS packages whose modules the kernel refuses, sorted by package
     */
    public record KernelDecision(
            OfferAnswer answer,
            HoldDecision decision,
            @Nullable String since,
            @Nullable String stored,
            List<String> holding,
            String released,
            List<NewerDriver> drivers,
            List<TrialAnswer> trials) {
        public KernelDecision {
            holding = List.copyOf(holding);
            drivers = List.copyOf(drivers);
            trials = List.copyOf(trials);
        }

        public boolean awaitsTrial() {
            return trials.stream().anyMatch(TrialAnswer::isDue);
        }
    }

    /**
     * The state of a DKMS package's trial build for an offered kernel.
     *
     * @param product the package as {@code NAME/VERSION}
     * @param trial the result of the installed source; null if there is none yet
     * @param awaited the UTC time, in ISO 8601, at which the kernel began to wait for a result; null if there is a
     *     result
     * @param isOverdue whether the kernel has waited long enough to be allowed without a result
     * @param isDue whether a build has to be started, for the first time or again; also true while this build is
     *     running
     * @param newer the offered newer source; null if there is none, or if the installed source has a result other than
     *     a failure
     */
    public record TrialAnswer(
            String product,
            @Nullable Trial trial,
            @Nullable String awaited,
            boolean isOverdue,
            boolean isDue,
            @Nullable NewerSource newer) {
        public TrialAnswer(
                String product, @Nullable Trial trial, @Nullable String awaited, boolean isOverdue, boolean isDue) {
            this(product, trial, awaited, isOverdue, isDue, null);
        }

        TrialAnswer with(NewerSource source, boolean isRepeated) {
            return new TrialAnswer(product, trial, awaited, isOverdue, isDue || isRepeated, source);
        }

        /** Returns whether the modules of the installed source, or of the newer source, would load. */
        boolean loads() {
            return trial != null && trial.result() == TrialResult.LOADS || newer != null && newer.loads();
        }

        boolean holds() {
            return !loads() && (trial == null ? !isOverdue : trial.result().isFailure());
        }

        public String name() {
            int slash = product.indexOf('/');
            return slash < 0 ? product : product.substring(0, slash);
        }
    }

    /**
     * A newer source of a DKMS package that a repository offers.
     *
     * @param offered the package that contains the source
     * @param trial the result of its trial build; null if there is none yet
     */
    public record NewerSource(
            OfferedPackage offered, @Nullable Trial trial) {
        boolean loads() {
            return trial != null && trial.result() == TrialResult.LOADS;
        }
    }

    /**
     * The site's settings, and its means to rebuild modules.
     *
     * @param rebuilds whether weaklink starts rebuilds automatically
     * @param rebuildable the names of the modules that can be rebuilt
     * @param byDkms the names of the modules that DKMS builds for every kernel
     * @param trials the trial builds by the key of an offered kernel and the name of a module that DKMS builds
     */
    public record Site(
            boolean rebuilds,
            Set<String> rebuildable,
            Set<String> byDkms,
            Map<String, Map<String, TrialAnswer>> trials) {
        public Site {
            rebuildable = Set.copyOf(rebuildable);
            byDkms = Set.copyOf(byDkms);
            trials = Map.copyOf(trials);
        }

        private Map<String, TrialAnswer> trials(OfferedKernel kernel) {
            return trials.getOrDefault(kernel.key(), Map.of());
        }

        private List<String> notRebuilt(OfferAnswer answer) {
            List<String> left = new ArrayList<>(answer.refused());
            left.removeIf(name -> {
                TrialAnswer trial = trials(answer.kernel()).get(name);
                boolean isTriedInVain = trial != null && trial.holds();
                return !isTriedInVain && (byDkms.contains(name) || rebuilds && rebuildable.contains(name));
            });
            return left;
        }

        private String released(OfferedKernel kernel, List<String> holding) {
            Set<String> sources = new TreeSet<>();
            Set<String> awaited = new TreeSet<>();
            List<String> others = new ArrayList<>();
            for (String module : holding) {
                TrialAnswer trial = trials(kernel).get(module);
                if (trial == null) {
                    others.add(module);
                } else {
                    (trial.trial() == null ? awaited : sources).add(trial.name());
                }
            }
            List<String> needed = new ArrayList<>();
            if (!sources.isEmpty()) {
                needed.add("a newer source of " + String.join(", ", sources) + " that compiles");
            }
            if (!awaited.isEmpty()) {
                needed.add("the trial build of " + String.join(", ", awaited) + ", which is pending or running");
            }
            if (!others.isEmpty() || holding.isEmpty()) {
                needed.add("a build" + (others.isEmpty() ? "" : " of " + String.join(", ", others)) + " that fits"
                        + (!others.isEmpty() && rebuildable.containsAll(others)
                                ? ", or an automatic rebuild ('rebuild = background' in weaklink.conf)"
                                : ""));
            }
            return String.join("; and ", needed);
        }
    }

    /**
     * Decides for each checked kernel whether it is held, and lists the packages to hold.
     *
     * @param drivers the modules in use
     * @param answers for each checked kernel, whether it would load the modules
     * @param stored the kernels' names in the store
     * @param since the dates since which kernels have been held without a break, by {@link OfferedKernel#key}
     * @param today the current date, such as {@code 2026-11-26}
     */
    public static Hold of(
            Offers offers,
            List<Driver> drivers,
            List<OfferAnswer> answers,
            Map<OfferedKernel, String> stored,
            Site site,
            Map<String, String> since,
            String today) {
        List<KernelDecision> kernels = new ArrayList<>();
        List<OfferedPackage> held = new ArrayList<>();
        for (OfferAnswer answer : answers) {
            OfferedKernel kernel = answer.kernel();
            List<Driver> refused = drivers.stream()
                    .filter(one -> answer.refused().contains(one.module()))
                    .toList();
            List<NewerDriver> newer = offers.newerDrivers(kernel, refused);
            HoldDecision decision = decide(answer, newer, site);
            boolean isHeld = decision == HoldDecision.HELD;
            List<String> holding = isHeld ? holding(answer, newer, site) : List.of();
            if (isHeld) {
                held.addAll(kernel.packages());
            }
            kernels.add(new KernelDecision(
                    answer,
                    decision,
                    isHeld ? since.getOrDefault(kernel.key(), today) : null,
                    stored.get(kernel),
                    holding,
                    isHeld ? site.released(kernel, holding) : "",
                    newer,
                    trials(site.trials(kernel))));
        }
        return new Hold(kernels, held.isEmpty() ? List.of() : offers.withDependents(held));
    }

    private static List<TrialAnswer> trials(Map<String, TrialAnswer> byModule) {
        Map<String, TrialAnswer> byProduct = new TreeMap<>();
        byModule.values().forEach(one -> byProduct.put(one.product(), one));
        return List.copyOf(byProduct.values());
    }

    private static HoldDecision decide(OfferAnswer answer, List<NewerDriver> newer, Site site) {
        if (answer.fit() != Fit.REFUSED) {
            return HoldDecision.LET_IN;
        }
        Set<String> coming = coming(newer);
        // The driver's package may depend on the kernel, so holding the kernel would also hold the driver.
        if (!coming.isEmpty() && coming.containsAll(answer.refused())) {
            return HoldDecision.LET_IN_WITH_DRIVER;
        }
        // If the refusal names no module, no rebuild is known to help, so the kernel is held.
        boolean isRebuilt =
                !answer.refused().isEmpty() && holding(answer, newer, site).isEmpty();
        return isRebuilt ? HoldDecision.LET_IN_TO_REBUILD : HoldDecision.HELD;
    }

    private static Set<String> coming(List<NewerDriver> newer) {
        Set<String> coming = new HashSet<>();
        for (NewerDriver one : newer) {
            if (one.fits() && one.comes()) {
                coming.add(one.module());
            }
        }
        return coming;
    }

    private static List<String> holding(OfferAnswer answer, List<NewerDriver> newer, Site site) {
        List<String> left = site.notRebuilt(answer);
        left.removeAll(coming(newer));
        return left;
    }

    /**
     * Returns the newest kernel that, as far as known, loads the modules in use without a rebuild; null if there is
     * none.
     */
    public @Nullable KernelDecision newest() {
        KernelDecision newest = null;
        for (KernelDecision kernel : kernels) {
            boolean fits = kernel.answer().fit() == Fit.FITS || kernel.answer().fit() == Fit.FITS_AS_FAR_AS_KNOWN;
            newest = fits ? kernel : newest;
        }
        return newest;
    }

    /**
     * Returns the newest kernel that is allowed although it fits only after its modules are built or updated; null if
     * there is none.
     */
    public @Nullable KernelDecision newestLetIn() {
        KernelDecision newest = null;
        for (KernelDecision kernel : kernels) {
            boolean isLetIn = kernel.decision() == HoldDecision.LET_IN_TO_REBUILD
                    || kernel.decision() == HoldDecision.LET_IN_WITH_DRIVER;
            newest = isLetIn ? kernel : newest;
        }
        return newest;
    }

    public boolean isUnknown() {
        return kernels.stream().anyMatch(kernel -> kernel.answer().fit() == Fit.UNKNOWN);
    }

    public boolean isRefused() {
        return kernels.stream().anyMatch(kernel -> kernel.answer().fit() == Fit.REFUSED);
    }
}
