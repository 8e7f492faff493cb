package dev.weaklink.system.offers;

import dev.weaklink.kernel.ExportTable;
import dev.weaklink.kernel.RpmOrder;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.Root;
import dev.weaklink.system.offers.OfferedKernel.OfferedPackage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The kernels and related packages that a system's repositories offer.
 *
 * @param manager the package manager, {@link #APT} or {@link #RPM}
 * @param kernels the kernels from oldest to newest
 * @param dependents other packages that may depend on a kernel, such as {@code linux-image-amd64}, or contain builds of
 *     modules in use
 * @param problems the errors of reading the lists
 */
public record Offers(
        String manager, List<OfferedKernel> kernels, List<Dependent> dependents, List<InputProblem> problems) {
    public static final String APT = "apt";
    public static final String RPM = "rpm";

    /** The maximum depth of dependencies. On Ubuntu, packages depend on packages that depend on a kernel. */
    private static final int DEEPEST = 8;

    public Offers {
        kernels = List.copyOf(kernels);
        dependents = List.copyOf(dependents);
        problems = List.copyOf(problems);
    }

    /**
     * Reads the package lists that the package manager has downloaded.
     *
     * @param symbols the kernel symbols to look for in the lists: the symbols that modules in use import
     * @param installed the releases of installed kernels
     * @param drivers the drivers to find other builds of
     * @return the offers; null if there are no lists, or if the package manager is unknown
     */
    public static @Nullable Offers read(Root root, Set<String> symbols, Set<String> installed, List<Driver> drivers) {
        if (AptOffers.isUsed(root)) {
            return AptOffers.hasLists(root) ? AptOffers.read(root, drivers) : null;
        }
        return RpmOffers.isUsed(root) ? RpmOffers.read(root, symbols, installed, drivers) : null;
    }

    /**
     * A package with its dependencies.
     *
     * @param needs the dependencies, each a list of alternatives; one of them must be installed
     * @param wanted true if an update would install the package; always false for rpm
     * @param modules the names of the modules in use that the package declares; always empty for apt
     * @param symbols the CRCs that the package requires, by kernel symbol; only for the symbols given to {@link #read}
     */
    public record Dependent(
            OfferedPackage own,
            List<List<Need>> needs,
            boolean wanted,
            Set<String> modules,
            Map<String, Integer> symbols) {
        public Dependent {
            needs = List.copyOf(needs);
            modules = Set.copyOf(modules);
            symbols = Map.copyOf(symbols);
        }

        private boolean isNewer(OfferedPackage owner) {
            return own.name().equals(owner.name()) && RpmOrder.compareWhole(own.version(), owner.version()) > 0;
        }

        private boolean brings(Driver driver) {
            OfferedPackage owner = driver.owner();
            return owner != null && own.name().equals(owner.name())
                    ? isNewer(owner)
                    : modules.contains(driver.module());
        }

        /**
         * Returns true if the dependencies or the required symbols show that the package is for this kernel, and false
         * if they show the opposite. Returns null if they show neither.
         */
        private @Nullable Boolean suits(OfferedKernel kernel) {
            for (List<Need> any : needs) {
                for (Need need : any) {
                    if (need.name().equals(RELEASE)) {
                        return kernel.release().equals(need.version());
                    }
                    if (kernel.meets(need)) {
                        return true;
                    }
                }
            }
            PublishedSymbols published = kernel.published();
            boolean agrees = false;
            if (published != null) {
                ExportTable exports = published.exports();
                for (Map.Entry<String, Integer> symbol : symbols.entrySet()) {
                    int row = exports.find(symbol.getKey());
                    Integer crc = row < 0 || !exports.hasCrc(row) ? null : (Integer) exports.crc(row);
                    if (crc != null && !crc.equals(symbol.getValue())) {
                        return false;
                    }
                    agrees |= crc != null;
                }
            }
            return agrees ? true : null;
        }
    }

    /**
     * A module in use.
     *
     * @param release the kernel whose directory contains the module's file
     * @param owner the package that owns the file, null if unknown
     */
    public record Driver(
            String module, String release, @Nullable OfferedPackage owner) {
        boolean isNamed(String name) {
            return owner != null
                    && (name.equals(owner.name())
                            || owner.name().contains(release)
                                    && name.startsWith(owner.name()
                                            .substring(0, owner.name().indexOf(release))));
        }

        /**
         * Returns the name of the driver's package for another release, like linux-modules-nvidia-535-6.8.0-9-generic
         * for 6.8.0-9-generic; null if the package's name does not contain the release.
         */
        private @Nullable String packageFor(String other) {
            return owner != null && owner.name().contains(release)
                    ? owner.name().replace(release, other)
                    : null;
        }
    }

    /**
     * An offered package with another build of a module in use.
     *
     * @param fits true if the package declares that it is for the kernel in question; if false, this is unknown
     * @param comes true if an update would install the build
     */
    public record NewerDriver(String module, OfferedPackage offered, boolean fits, boolean comes) {}

    static final String RELEASE = "kernel-uname-r";

    public List<NewerDriver> newerDrivers(OfferedKernel kernel, List<Driver> drivers) {
        List<NewerDriver> found = new ArrayList<>();
        for (Driver driver : drivers) {
            String made = driver.packageFor(kernel.release());
            for (Dependent one : dependents) {
                boolean isMadeForIt = one.own().name().equals(made);
                if (!isMadeForIt && !one.brings(driver)) {
                    continue;
                }
                Boolean suits = isMadeForIt ? Boolean.TRUE : one.suits(kernel);
                if (!Boolean.FALSE.equals(suits)) {
                    OfferedPackage owner = driver.owner();
                    boolean comes = one.wanted() || owner != null && !isMadeForIt && one.isNewer(owner);
                    found.add(new NewerDriver(driver.module(), one.own(), suits != null, comes));
                }
            }
        }
        found.sort(Comparator.comparing(NewerDriver::module).thenComparing(NewerDriver::offered));
        return found;
    }

    /**
     * Returns the newest offered version of each driver's package, if newer than the installed, by the module's name.
     */
    public Map<String, OfferedPackage> newerPackages(List<Driver> drivers) {
        Map<String, OfferedPackage> newest = new HashMap<>();
        for (Driver driver : drivers) {
            OfferedPackage owner = driver.owner();
            for (Dependent one : dependents) {
                if (owner != null && one.isNewer(owner)) {
                    newest.merge(
                            driver.module(),
                            one.own(),
                            (old, other) -> RpmOrder.compareWhole(other.version(), old.version()) > 0 ? other : old);
                }
            }
        }
        return newest;
    }

    /**
     * A dependency of a package.
     *
     * @param version the required version, null if any version is sufficient
     */
    public record Need(String name, @Nullable String version) {}

    public List<OfferedPackage> withDependents(List<OfferedPackage> held) {
        Set<OfferedPackage> all = new TreeSet<>(held);
        Set<OfferedPackage> offered = new HashSet<>();
        kernels.forEach(kernel -> offered.addAll(kernel.packages()));
        dependents.forEach(one -> offered.add(one.own()));
        Set<String> ofKernels = new HashSet<>();
        held.forEach(one -> ofKernels.add(one.name()));
        LetIn others = new LetIn(offered, all);
        boolean more = true;
        for (int depth = 0; more && depth < DEEPEST; depth++) {
            more = false;
            for (Dependent one : dependents) {
                boolean blocked = one.needs().stream().anyMatch(any -> others.lacks(any, ofKernels));
                if (blocked && all.add(one.own())) {
                    others.hold(one.own());
                    more = true;
                }
            }
        }
        return new ArrayList<>(all);
    }

    /** The number of offered packages that are not held, by dependency, so that each look-up takes constant time. */
    private static final class LetIn {
        private final Map<Need, Integer> counts = new HashMap<>();

        LetIn(Set<OfferedPackage> offered, Set<OfferedPackage> held) {
            offered.forEach(one -> count(one, held.contains(one) ? 0 : 1));
        }

        void hold(OfferedPackage one) {
            count(one, -1);
        }

        private void count(OfferedPackage one, int more) {
            counts.merge(new Need(one.name(), null), more, Integer::sum);
            counts.merge(new Need(one.name(), one.version()), more, Integer::sum);
        }

        /**
         * Returns whether all alternatives of a dependency are offered but held, so that no package can satisfy it. An
         * alternative without a version counts as satisfied by an installed package, unless {@code ofKernels} contains
         * its name.
         *
         * @param ofKernels the names of the packages of held kernels
         */
        boolean lacks(List<Need> any, Set<String> ofKernels) {
            for (Need need : any) {
                boolean isInstalled = need.version() == null && !ofKernels.contains(need.name());
                Integer others = counts.get(need);
                if (isInstalled || others == null || others > 0) {
                    return false;
                }
            }
            return !any.isEmpty();
        }
    }
}
