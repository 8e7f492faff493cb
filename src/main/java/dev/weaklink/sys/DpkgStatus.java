package dev.weaklink.sys;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Parses dpkg's database of packages, {@code /var/lib/dpkg/status} (dpkg(1)). */
public final class DpkgStatus {
    public static final int LIMIT = 64 << 20;

    private static final Set<String> UNFINISHED = Set.of("half-installed", "unpacked", "half-configured");

    private DpkgStatus() {}

    public static Map<String, String> installed(String status) {
        Map<String, String> versions = new LinkedHashMap<>();
        String name = "";
        boolean installed = true;
        for (String line : status.split("\n", -1)) {
            if (line.startsWith("Package: ")) {
                name = line.substring("Package: ".length());
                installed = true;
            } else if (line.startsWith("Status: ")) {
                installed = line.endsWith(" installed");
            } else if (line.startsWith("Version: ") && installed) {
                versions.putIfAbsent(name, line.substring("Version: ".length()));
            }
        }
        return versions;
    }

    /**
     * Returns the states of packages that dpkg has begun to install or configure but not finished, such as
     * {@code half-configured}, by name. Excludes packages that only wait for triggers, because these packages work.
     */
    public static Map<String, String> unfinished(String status) {
        Map<String, String> states = new LinkedHashMap<>();
        String name = "";
        for (String line : status.split("\n", -1)) {
            if (line.startsWith("Package: ")) {
                name = line.substring("Package: ".length());
            } else if (line.startsWith("Status: ")) {
                String state = line.substring(line.lastIndexOf(' ') + 1);
                if (UNFINISHED.contains(state)) {
                    states.put(name, state);
                }
            }
        }
        return states;
    }

    /**
     * Returns whether dpkg was interrupted, or is running.
     *
     * @param updates the names of the files in {@code /var/lib/dpkg/updates}
     */
    public static boolean isInterrupted(Collection<String> updates) {
        return updates.stream().anyMatch(name -> name.chars().allMatch(digit -> digit >= '0' && digit <= '9'));
    }
}
