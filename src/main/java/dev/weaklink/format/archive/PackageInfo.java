package dev.weaklink.format.archive;

import dev.weaklink.sys.StableId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The description that a package contains of itself.
 *
 * @param kind the package's format
 * @param name the package's name; empty for a tar archive and a container image
 * @param version the version as the package manager prints it, {@code [epoch:]version[-release]}; empty if the package
 *     has none
 * @param product the name of the source from which this package, and possibly others, were built; null if unknown
 * @param requires the package's dependencies, with alternatives listed one by one
 */
public record PackageInfo(
        PackageKind kind,
        String name,
        String version,
        @Nullable String product,
        List<PackageRelation> requires) {
    public PackageInfo {
        requires = List.copyOf(requires);
    }

    static PackageInfo unnamed(PackageKind kind) {
        return new PackageInfo(kind, "", "", null, List.of());
    }

    /**
     * A requirement of a package.
     *
     * @param name a package, file or capability such as {@code kernel(printk)}
     * @param operator the comparison as the package manager writes it, such as {@code >=} or {@code ~}; empty if there
     *     is none
     * @param version the version compared with, such as {@code 0x12345678}; empty if there is none
     */
    public record PackageRelation(String name, String operator, String version) {}

    public enum PackageKind implements StableId {
        RPM,
        /** A Debian package, or an ipk package in the same ar format. */
        DEB,
        IPK,
        /** An Alpine package of the second or third format, or an OpenWrt package of the third format. */
        APK,
        TAR,
        OCI
    }
}
