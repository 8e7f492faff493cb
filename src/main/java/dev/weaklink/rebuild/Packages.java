package dev.weaklink.rebuild;

import java.util.ArrayList;
import java.util.List;

/** The packages that contain a program or a kernel's build tree, by distribution. */
final class Packages {
    private Packages() {}

    /** Returns the name of the package that contains a program; empty if unknown. */
    static String with(String program, Platform platform) {
        Platform.Family family = platform.family();
        boolean debian = family == Platform.Family.DEBIAN;
        return switch (program) {
            case "rpmbuild" -> debian ? "rpm" : "rpm-build";
            case "dpkg-buildpackage" -> "dpkg-dev";
            case "dh" -> "debhelper";
            case "createrepo", "createrepo_c" -> debian ? "createrepo-c" : "createrepo_c";
            case "apt-ftparchive" -> "apt-utils";
            case "libelf" ->
                debian ? "libelf-dev" : family == Platform.Family.SUSE ? "libelf-devel" : "elfutils-libelf-devel";
            case "setsid" -> "util-linux";
            case "gcc", "make", "perl", "bash", "tar", "dkms", "fakeroot" -> program;
            case "ld.lld" -> "lld";
            default -> program.startsWith("gcc-") || program.startsWith("clang") ? program : "";
        };
    }

    /** Returns the real package that provides {@code debhelper-compat}; any other name unchanged. */
    static String real(String name) {
        return name.equals("debhelper-compat") ? "debhelper" : name;
    }

    static List<String> buildTree(String kernel, Platform platform) {
        List<String> packages = new ArrayList<>();
        switch (platform.family()) {
            case RED_HAT -> packages.add("kernel-devel-" + kernel);
            case DEBIAN -> packages.add("linux-headers-" + kernel);
            case SUSE -> {
                int dash = kernel.lastIndexOf('-');
                String flavour = dash < 0 ? "default" : kernel.substring(dash + 1);
                String version = dash < 0 ? kernel : kernel.substring(0, dash);
                packages.add("kernel-" + flavour + "-devel=" + version);
                packages.add("kernel-source=" + version);
                packages.add("kernel-syms=" + version);
            }
            case OPENWRT, OTHER -> {}
        }
        return packages;
    }
}
