package dev.weaklink.system;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;

/** Determines the name of the package in which a distribution puts a kernel's rarely needed modules. */
public final class ExtraModulesPackage {
    private static final int MAX_SIZE = 1 << 16;

    private ExtraModulesPackage() {}

    /**
     * Returns the package's name, or two alternatives joined by "or". Returns an empty string if the root directory's
     * os-release(5) does not name Ubuntu, RHEL, Fedora or SUSE.
     */
    public static String of(Root root, String release) {
        RootText text = new RootText(root);
        String words = text.read("/etc/os-release", MAX_SIZE) + text.read("/usr/lib/os-release", MAX_SIZE);
        StringBuilder ids = new StringBuilder();
        for (String line : words.split("\n", -1)) {
            if (line.startsWith("ID=") || line.startsWith("ID_LIKE=")) {
                ids.append(line).append(' ');
            }
        }
        if (ids.indexOf("ubuntu") >= 0) {
            return "linux-modules-extra-" + release;
        }
        if (ids.indexOf("rhel") >= 0 || ids.indexOf("fedora") >= 0) {
            return "kernel-modules-" + release + " or kernel-modules-extra-" + release;
        }
        if (ids.indexOf("suse") >= 0) {
            String flavour = release.substring(release.lastIndexOf('-') + 1);
            return "kernel-" + flavour + "-extra or kernel-" + flavour + "-optional";
        }
        return "";
    }
}
