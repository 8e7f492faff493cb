package dev.weaklink.rebuild;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The kernel module packages in OpenWrt's package database. OpenWrt's modules have no CRCs. Instead, each package of
 * modules depends on one version of the package {@code kernel}. That version contains a hash of the kernel's
 * configuration (include/kernel-defaults.mk): {@code 5.15.167-1-HASH}, or {@code 6.6.73~HASH-r1} since OpenWrt uses
 * apk.
 *
 * @param kernel the version of the package {@code kernel}; empty if it is not installed
 * @param wanted the version of {@code kernel} that each package of modules depends on, by the package's name
 */
public record OpenWrtPackages(String kernel, Map<String, String> wanted) {
    public OpenWrtPackages {
        wanted = new TreeMap<>(wanted);
    }

    public static OpenWrtPackages ofOpkg(List<String> lines) {
        return read(lines, "Package: ", "Version: ", "Depends: ", ", ");
    }

    public static OpenWrtPackages ofApk(List<String> lines) {
        return read(lines, "P:", "V:", "D:", " ");
    }

    private static OpenWrtPackages read(
            List<String> lines, String name, String version, String depends, String separator) {
        String kernel = "";
        Map<String, String> wanted = new TreeMap<>();
        String current = "";
        for (String line : lines) {
            if (line.startsWith(name)) {
                current = line.substring(name.length()).strip();
            } else if (line.startsWith(version) && current.equals("kernel")) {
                kernel = line.substring(version.length()).strip();
            } else if (line.startsWith(depends)) {
                String on = onKernel(line.substring(depends.length()), separator);
                if (!on.isEmpty()) {
                    wanted.put(current, on);
                }
            }
        }
        return new OpenWrtPackages(kernel, wanted);
    }

    /**
     * Returns the version of the package {@code kernel} in a list of dependencies, such as {@code kernel (=
     * 5.15.167-1-HASH), kmod-x} or {@code kernel=V kmod-x}; empty if the list does not contain it.
     */
    private static String onKernel(String depends, String separator) {
        for (String one : depends.split(separator, -1)) {
            String bare = one.replace(" ", "").replace("(", "").replace(")", "");
            if (bare.startsWith("kernel=")) {
                return bare.substring("kernel=".length());
            }
        }
        return "";
    }

    /** Returns the kernel's release, which begins the version of the package {@code kernel}; empty if unknown. */
    public String release() {
        int end = 0;
        while (end < kernel.length() && "-~".indexOf(kernel.charAt(end)) < 0) {
            end++;
        }
        return kernel.substring(0, end);
    }

    public List<String> foreign() {
        List<String> foreign = new ArrayList<>();
        wanted.forEach((name, version) -> {
            if (!version.equals(kernel)) {
                foreign.add(name);
            }
        });
        return foreign;
    }
}
