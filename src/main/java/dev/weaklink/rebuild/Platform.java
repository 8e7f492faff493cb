package dev.weaklink.rebuild;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The distribution of a system, as in os-release(5).
 *
 * @param id the id, such as {@code rhel}; empty if unknown
 * @param like the ids of the parent distributions, the nearest first
 * @param version the version, such as {@code 9.4}; empty if unknown
 */
public record Platform(String id, List<String> like, String version) {
    public static final Platform UNKNOWN = new Platform("", List.of(), "");

    public Platform {
        like = List.copyOf(like);
    }

    public enum Family {
        RED_HAT,
        SUSE,
        DEBIAN,
        OPENWRT,
        OTHER
    }

    public Family family() {
        List<String> ids = new ArrayList<>();
        ids.add(id);
        ids.addAll(like);
        for (String word : ids) {
            Family family = family(word);
            if (family != Family.OTHER) {
                return family;
            }
        }
        return Family.OTHER;
    }

    private static Family family(String word) {
        return switch (word) {
            case "rhel", "centos", "fedora", "ol", "rocky", "almalinux", "anolis", "openEuler" -> Family.RED_HAT;
            case "sles", "suse", "opensuse", "opensuse-leap", "sled", "sle_hpc" -> Family.SUSE;
            case "debian", "ubuntu" -> Family.DEBIAN;
            case "openwrt", "lede" -> Family.OPENWRT;
            default -> Family.OTHER;
        };
    }

    public @Nullable List<String> install(List<String> packages) {
        List<String> words = new ArrayList<>();
        switch (family()) {
            case RED_HAT -> words.addAll(List.of(version.startsWith("7") ? "yum" : "dnf", "install"));
            case SUSE -> words.addAll(List.of("zypper", "install"));
            case DEBIAN -> words.addAll(List.of("apt-get", "install"));
            case OPENWRT, OTHER -> {
                return null;
            }
        }
        words.addAll(packages);
        return words;
    }

    public @Nullable List<String> reinstall(List<String> packages) {
        List<String> words = new ArrayList<>();
        switch (family()) {
            case RED_HAT -> words.addAll(List.of(version.startsWith("7") ? "yum" : "dnf", "reinstall"));
            case SUSE -> words.addAll(List.of("zypper", "install", "--force"));
            case DEBIAN -> words.addAll(List.of("apt-get", "install", "--reinstall"));
            case OPENWRT, OTHER -> {
                return null;
            }
        }
        words.addAll(packages);
        return words;
    }

    /**
     * Returns the distribution's name in Mellanox's installers, such as {@code rhel9.4}, {@code sles15sp5} or
     * {@code debian12.1}; null if none is known. CentOS, Rocky Linux and AlmaLinux share the name of Red Hat Enterprise
     * Linux.
     */
    public @Nullable String bundleName() {
        if (version.isEmpty()) {
            return null;
        }
        return switch (id) {
            case "rhel", "centos", "rocky", "almalinux" -> "rhel" + version;
            case "ol", "fedora", "ubuntu", "debian" -> id + version;
            case "sles", "sled", "sle_hpc" -> "sles" + version.replace(".", "sp");
            default -> null;
        };
    }

    @Override
    public String toString() {
        return id.isEmpty() ? "an unknown distribution" : (id + " " + version).strip();
    }
}
