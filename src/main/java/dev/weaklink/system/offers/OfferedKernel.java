package dev.weaklink.system.offers;

import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel that a repository offers.
 *
 * @param release the release that {@code uname -r} would print
 * @param repository the repository's id for dnf and zypper, or the name of apt's list
 * @param packages the packages that belong to this kernel alone (image, modules, headers), sorted by name
 * @param headers the package with the kernel's Module.symvers; null if unknown
 * @param sharedHeaders packages that complete the headers package, such as Debian's linux-headers-K-common and
 *     linux-kbuild; empty if there are none
 * @param installed true if this version of the kernel is installed
 * @param wanted true if an update would install the kernel, directly or as a dependency; always true for rpm
 * @param published the exports that the kernel's packages declare, null if unknown
 */
public record OfferedKernel(
        String release,
        String repository,
        List<OfferedPackage> packages,
        @Nullable OfferedPackage headers,
        List<OfferedPackage> sharedHeaders,
        boolean installed,
        boolean wanted,
        @Nullable PublishedSymbols published) {
    public OfferedKernel {
        packages = List.copyOf(packages);
        sharedHeaders = List.copyOf(sharedHeaders);
    }

    public String key() {
        return release + " " + packages.get(0).version();
    }

    boolean meets(Offers.Need need) {
        return packages.stream()
                .anyMatch(one -> one.name().equals(need.name())
                        && (need.version() == null || need.version().equals(one.version())));
    }

    /** Returns whether two releases start with the same two numbers, like 6.1.0-9 and 6.1.0-10. */
    public static boolean areOfOneSeries(String left, String right) {
        return series(left).equals(series(right));
    }

    private static String series(String release) {
        int end = release.indexOf('.', release.indexOf('.') + 1);
        return end < 0 ? release : release.substring(0, end);
    }

    /**
     * Returns the flavor of a release, such as {@code amd64}, {@code cloud-amd64} or {@code generic}. The flavor of
     * 5.14.0-1.el9.x86_64+debug is {@code debug}. The result is empty if the release does not contain a flavor.
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
     * @param version the version with epoch and release, as its package manager writes it
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
