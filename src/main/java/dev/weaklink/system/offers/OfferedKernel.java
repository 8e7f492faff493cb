package dev.weaklink.system.offers;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that a repository offers.
 *
 * @param release as {@code uname -r} would say it
 * @param repository where it is offered, in the package manager's words
 * @param packages what comes with this kernel alone, by name: image, modules, headers
 * @param headers the one of them with its Module.symvers; null if there is none
 * @param installed whether it is installed in this very version
 * @param wanted whether an update would install it, by itself or for the sake of another package
 * @param published what its packages say that they export; null if nothing
 */
public record OfferedKernel(
        String release,
        String repository,
        List<OfferedPackage> packages,
        @Nullable OfferedPackage headers,
        boolean installed,
        boolean wanted,
        @Nullable PublishedSymbols published) {
    public OfferedKernel {
        packages = List.copyOf(packages);
    }

    /** Whether one of its packages is what another package needs. */
    boolean meets(Offers.Need need) {
        return packages.stream()
                .anyMatch(one -> one.name().equals(need.name())
                        && (need.version() == null || need.version().equals(one.version())));
    }

    /** Whether two releases begin with the same two numbers, as 6.1.0-9 and 6.1.0-10 do. */
    public static boolean areOfOneSeries(String left, String right) {
        return series(left).equals(series(right));
    }

    private static String series(String release) {
        int end = release.indexOf('.', release.indexOf('.') + 1);
        return end < 0 ? release : release.substring(0, end);
    }

    /**
     * Which of a distribution's kernels a release is of, such as {@code amd64}, {@code cloud-amd64}, {@code generic}
     * or, as of 5.14.0-1.el9.x86_64+debug, {@code debug}; empty where releases do not say it.
     */
    public static String flavour(String release) {
        String rest = release;
        while (!rest.isEmpty() && (isDigit(rest.charAt(0)) || rest.startsWith("rc"))) {
            int dash = rest.indexOf('-');
            int plus = rest.indexOf('+');
            rest = dash >= 0 ? rest.substring(dash + 1) : plus >= 0 ? rest.substring(plus + 1) : "";
        }
        return rest;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /**
     * A package that a repository offers.
     *
     * @param version with epoch and release, as its package manager writes it
     */
    public record OfferedPackage(String name, String version, String architecture)
            implements Comparable<OfferedPackage> {
        private static final Comparator<OfferedPackage> ORDER = Comparator.comparing(OfferedPackage::name)
                .thenComparing(OfferedPackage::version)
                .thenComparing(OfferedPackage::architecture);

        @Override
        public int compareTo(OfferedPackage other) {
            return ORDER.compare(this, other);
        }
    }
}
