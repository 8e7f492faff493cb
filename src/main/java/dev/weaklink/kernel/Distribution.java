package dev.weaklink.kernel;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The distribution that built a kernel; distributions patch the loader. */
enum Distribution {
    DEBIAN,
    UBUNTU,
    RED_HAT,
    SUSE,
    OTHER;

    /**
     * A distribution and the confidence in it.
     *
     * @param seen whether the kernel's configuration or banner names the distribution, not only the form of its release
     */
    record Guess(Distribution distribution, boolean seen) {}

    private static final String[] DEBIAN_FLAVOURS = {
        "amd64",
        "arm64",
        "686",
        "686-pae",
        "armmp",
        "armmp-lpae",
        "marvell",
        "rpi",
        "s390x",
        "powerpc64le",
        "4kc-malta",
        "5kc-malta",
        "loongson-3",
        "octeon",
        "riscv64",
        "arm64-16k",
        "mips64r2el",
        "mips32r2el",
        "loong64"
    };

    /**
     * Detects the distribution from the banner, else from the configuration, else from the release. The guess is
     * {@link #OTHER} if none of them names a distribution.
     */
    static Guess of(@Nullable String release, @Nullable KernelConfig config, @Nullable LoaderTraces traces) {
        Distribution builder = byBanner(traces == null ? null : traces.banner());
        if (builder != OTHER) {
            return new Guess(builder, true);
        }
        String compiler = config == null ? null : config.value("CC_VERSION_TEXT");
        if (config != null && config.value("RHEL_DIFFERENCES") != null) {
            return new Guess(RED_HAT, true);
        }
        if (config != null && "y".equals(config.value("SUSE_KERNEL"))) {
            return new Guess(SUSE, true);
        }
        if (config != null && config.value("VERSION_SIGNATURE") != null) {
            return new Guess(UBUNTU, true);
        }
        Distribution named = byRelease(release);
        String word = named.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        boolean seen = compiler != null && compiler.toLowerCase(Locale.ROOT).contains(word);
        return new Guess(named, seen && named != OTHER);
    }

    /**
     * Detects the distribution from the builder that the banner names. The banner's compiler alone proves little: users
     * also build their own kernels with a distribution's compiler.
     */
    private static Distribution byBanner(@Nullable String banner) {
        if (banner == null) {
            return OTHER;
        }
        if (banner.contains("debian-kernel@lists.debian.org")) {
            return DEBIAN;
        }
        if (banner.contains("(buildd@") && banner.contains("Ubuntu")) {
            return UBUNTU;
        }
        if (banner.contains("(mockbuild@") && banner.contains("Red Hat")) {
            return RED_HAT;
        }
        return banner.contains("(geeko@buildhost)") ? SUSE : OTHER;
    }

    private static Distribution byRelease(@Nullable String release) {
        if (release == null) {
            return OTHER;
        }
        if (isDebian(release)) {
            return DEBIAN;
        }
        if (release.endsWith("-generic") || release.endsWith("-lowlatency")) {
            return UBUNTU;
        }
        if (release.contains(".el") || release.contains(".fc")) {
            return RED_HAT;
        }
        return release.endsWith("-default") ? SUSE : OTHER;
    }

    private static boolean isDebian(String release) {
        for (String flavour : DEBIAN_FLAVOURS) {
            if (release.endsWith("-" + flavour)) {
                return true;
            }
        }
        return false;
    }
}
