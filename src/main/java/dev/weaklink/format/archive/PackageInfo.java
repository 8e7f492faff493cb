package dev.weaklink.format.archive;

import dev.weaklink.sys.StableId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a package says of itself.
 *
 * @param kind its format
 * @param name its name; empty for a tar archive and an image
 * @param version as its manager prints it, {@code [epoch:]version[-release]}; empty where there is none
 * @param product name of the source that it and perhaps others are built from, null if it does not say
 * @param requires what it depends on, alternatives one by one
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

    /** A package that says nothing of itself. */
    static PackageInfo unnamed(PackageKind kind) {
        return new PackageInfo(kind, "", "", null, List.of());
    }

    /**
     * What a package requires.
     *
     * @param name a package, file or capability such as {@code kernel(printk)}
     * @param operator {@code =}, {@code <}, {@code >}, {@code <=}, {@code >=} or {@code ~}; empty where no version is
     *     reported
     * @param version the version compared with, such as {@code 0x12345678}; empty without an operator
     */
    public record PackageRelation(String name, String operator, String version) {}

    /** The format of a package. */
    public enum PackageKind implements StableId {
        RPM,
        /** Debian's; opkg's older packages are the same. */
        DEB,
        /** OpenWrt's, a tar of tars. */
        IPK,
        /** Alpine's second and third format; OpenWrt's packages are of the third. */
        APK,
        /** A tar archive, of files or of packages. */
        TAR,
        /** A directory in OCI image layout. */
        OCI
    }
}
