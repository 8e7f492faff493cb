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
 * What the repositories of a system offer.
 *
 * @param manager whose repositories these are, {@link #APT} or {@link #RPM}
 * @param kernels from old to new
 * @param dependents packages that install a kernel by depending on it, such as {@code linux-image-amd64}, and those
 *     that bring modules in use
 * @param problems which of their lists could not be read
 */
public record Offers(
        String manager, List<OfferedKernel> kernels, List<Dependent> dependents, List<InputProblem> problems) {
    public static final String APT = "apt";
    public static final String RPM = "rpm";

    /** Ubuntu has packages that depend on such that depend on a kernel. */
    private static final int DEEPEST = 8;

    public Offers {
        kernels = List.copyOf(kernels);
        dependents = List.copyOf(dependents);
        problems = List.copyOf(problems);
    }

    /**
     * Reads what the package manager of a root has downloaded.
     *
     * @param symbols those of kernels that matter
     * @param installed releases of kernels that are installed
     * @param drivers those of which other builds matter
     * @return null if there is nothing
     */
    public static @Nullable Offers read(Root root, Set<String> symbols, Set<String> installed, List<Driver> drivers) {
        if (AptOffers.isUsed(root)) {
            return AptOffers.hasLists(root) ? AptOffers.read(root, drivers) : null;
        }
        return RpmOffers.isUsed(root) ? RpmOffers.read(root, symbols, installed, drivers) : null;
    }

    /**
     * A package with what it cannot be installed without: of each list one at least.
     *
     * @param wanted whether an update would install it
     * @param modules names of modules that it says it brings
     * @param symbols CRCs of the symbols of a kernel that it requires, as far as they matter
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

        /** As linux-modules-nvidia-535-6.8.0-9-generic is of that release, instead of another's. */
        private boolean isMadeFor(String release, Driver driver) {
            OfferedPackage owner = driver.owner();
            return owner != null
                    && owner.name().contains(driver.release())
                    && own.name().equals(owner.name().replace(driver.release(), release));
        }

        private boolean brings(Driver driver) {
            OfferedPackage owner = driver.owner();
            return owner != null && own.name().equals(owner.name())
                    ? isNewer(owner)
                    : modules.contains(driver.module());
        }

        /** Whether what it needs says that it is for this kernel; null if that is not said. */
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
     * @param release the kernel in whose directory its file is
     * @param owner the package that the file is of; null if none is known
     */
    public record Driver(
            String module, String release, @Nullable OfferedPackage owner) {
        /** Whether packages of a name may have another build of it. */
        boolean isNamed(String name) {
            return owner != null
                    && (name.equals(owner.name())
                            || owner.name().contains(release)
                                    && name.startsWith(owner.name()
                                            .substring(0, owner.name().indexOf(release))));
        }
    }

    /**
     * Another build of a module in use that is offered.
     *
     * @param fits whether it says that it is for the kernel in question; else that is not known
     * @param comes whether an update would install it
     */
    public record NewerDriver(String module, OfferedPackage offered, boolean fits, boolean comes) {}

    /** What a kernel's release is called where packages provide or require it. */
    static final String RELEASE = "kernel-uname-r";

    /** Other builds of these drivers that may fit a kernel, sorted. */
    public List<NewerDriver> newerDrivers(OfferedKernel kernel, List<Driver> drivers) {
        List<NewerDriver> found = new ArrayList<>();
        for (Driver driver : drivers) {
            for (Dependent one : dependents) {
                boolean isMadeForIt = one.isMadeFor(kernel.release(), driver);
                Boolean suits = isMadeForIt ? Boolean.TRUE : one.suits(kernel);
                if ((isMadeForIt || one.brings(driver)) && !Boolean.FALSE.equals(suits)) {
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
     * A package that another one needs.
     *
     * @param version null if any would do
     */
    public record Need(String name, @Nullable String version) {}

    /** These packages, and what cannot be installed without them; sorted. */
    public List<OfferedPackage> withDependents(List<OfferedPackage> held) {
        Set<OfferedPackage> all = new TreeSet<>(held);
        Map<String, Set<OfferedPackage>> offered = new HashMap<>();
        kernels.forEach(kernel -> kernel.packages().forEach(one -> add(one, offered)));
        dependents.forEach(one -> add(one.own(), offered));
        Set<String> ofKernels = new HashSet<>();
        held.forEach(one -> ofKernels.add(one.name()));
        boolean more = true;
        for (int depth = 0; more && depth < DEEPEST; depth++) {
            more = false;
            for (Dependent one : dependents) {
                boolean blocked = one.needs().stream().anyMatch(any -> isHeld(any, ofKernels, offered, all));
                more |= blocked && all.add(one.own());
            }
        }
        return new ArrayList<>(all);
    }

    private static void add(OfferedPackage one, Map<String, Set<OfferedPackage>> offered) {
        offered.computeIfAbsent(one.name(), name -> new HashSet<>()).add(one);
    }

    /**
     * Whether all that would do is offered here, and held. Where any version of a package would do that is of no kernel
     * alone, the one that is installed does.
     */
    private static boolean isHeld(
            List<Need> any, Set<String> ofKernels, Map<String, Set<OfferedPackage>> offered, Set<OfferedPackage> held) {
        for (Need need : any) {
            boolean found = false;
            if (need.version() == null && !ofKernels.contains(need.name())) {
                return false;
            }
            for (OfferedPackage one : offered.getOrDefault(need.name(), Set.of())) {
                if (need.version() == null || need.version().equals(one.version())) {
                    found = true;
                    if (!held.contains(one)) {
                        return false;
                    }
                }
            }
            if (!found) {
                return false;
            }
        }
        return !any.isEmpty();
    }
}
