package dev.weaklink.compat;

import dev.weaklink.kernel.RpmOrder;
import java.util.Comparator;
import java.util.List;

/**
 * A kernel module package.
 *
 * @param name the package's name, such as {@code drbd-kmp-default}
 * @param kernel the release of the kernel that its modules were built for
 * @param files the absolute paths of its modules as the package lists them, sorted
 */
record Kmp(String name, String version, String release, String kernel, List<String> files) {
    static final Comparator<Kmp> NEWEST_FIRST = Comparator.comparing(Kmp::name)
            .thenComparing(Kmp::version, RpmOrder.INSTANCE.reversed())
            .thenComparing(Kmp::release, RpmOrder.INSTANCE.reversed())
            .thenComparing(Kmp::id);

    Kmp {
        files = List.copyOf(files);
    }

    String id() {
        return name + "-" + version + "-" + release;
    }

    boolean isVersionOf(Kmp other) {
        return name.equals(other.name);
    }

    boolean isOlderThan(Kmp other) {
        int order = RpmOrder.INSTANCE.compare(version, other.version);
        return order < 0 || order == 0 && RpmOrder.INSTANCE.compare(release, other.release) < 0;
    }
}
