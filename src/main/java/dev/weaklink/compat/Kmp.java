package dev.weaklink.compat;

import dev.weaklink.kernel.RpmOrder;
import java.util.Comparator;
import java.util.List;

/**
 * A kernel module package.
 *
 * @param name such as {@code drbd-kmp-default}
 * @param version its version
 * @param release its release
 * @param kernel the release of the kernel its modules were built for
 * @param files its modules: absolute paths as the package has them, sorted
 */
record Kmp(String name, String version, String release, String kernel, List<String> files) {
    /** By name, and the versions of one package from new to old. */
    static final Comparator<Kmp> NEWEST_FIRST = Comparator.comparing(Kmp::name)
            .thenComparing(Kmp::version, RpmOrder.INSTANCE.reversed())
            .thenComparing(Kmp::release, RpmOrder.INSTANCE.reversed())
            .thenComparing(Kmp::id);

    Kmp {
        files = List.copyOf(files);
    }

    /** Name, version and release, as messages and scriptlets have it. */
    String id() {
        return name + "-" + version + "-" + release;
    }

    /** Whether the other is a version of the same package. */
    boolean isVersionOf(Kmp other) {
        return name.equals(other.name);
    }

    /** Whether it is older than another version of the package. */
    boolean isOlderThan(Kmp other) {
        int order = RpmOrder.INSTANCE.compare(version, other.version);
        return order < 0 || order == 0 && RpmOrder.INSTANCE.compare(release, other.release) < 0;
    }
}
