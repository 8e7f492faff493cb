package dev.weaklink.rules;

import java.util.ArrayList;
import java.util.List;

/**
 * Which of several builds of a module is tried first.
 *
 * @param kind how they are ordered
 * @param listed patterns of kernel releases, the best first; of {@link Kind#LISTED} only
 */
public record ProviderPreference(Kind kind, List<NamePattern> listed) {
    /** The build for the newest kernel first. */
    public static final ProviderPreference NEWEST = new ProviderPreference(Kind.NEWEST, List.of());

    /** How builds are ordered. */
    public enum Kind {
        /** The build for the newest kernel first. */
        NEWEST,
        /** First builds for kernels of the target's own minor release, then the others. */
        SAME_MINOR,
        /** As listed; builds for kernels that are not listed are not used. */
        LISTED
    }

    public ProviderPreference {
        listed = List.copyOf(listed);
    }

    /**
     * Puts builds in the order in which they are to be tried.
     *
     * @param target the release of the kernel to link into
     * @param newestFirst releases of the kernels that there are builds for, the newest first
     */
    public List<String> order(String target, List<String> newestFirst) {
        return switch (kind) {
            case NEWEST -> List.copyOf(newestFirst);
            case SAME_MINOR -> sameMinorFirst(minor(target), newestFirst);
            case LISTED -> asListed(newestFirst);
        };
    }

    private static List<String> sameMinorFirst(String minor, List<String> newestFirst) {
        List<String> ordered = new ArrayList<>(newestFirst.size());
        List<String> others = new ArrayList<>();
        for (String release : newestFirst) {
            (minor(release).equals(minor) ? ordered : others).add(release);
        }
        ordered.addAll(others);
        return ordered;
    }

    private List<String> asListed(List<String> newestFirst) {
        List<String> left = new ArrayList<>(newestFirst);
        List<String> ordered = new ArrayList<>();
        for (NamePattern pattern : listed) {
            for (String release : newestFirst) {
                if (pattern.matches(release) && left.remove(release)) {
                    ordered.add(release);
                }
            }
        }
        return ordered;
    }

    /**
     * A release up to the first number behind its first hyphen, as {@code 5.14.0-503} of
     * {@code 5.14.0-503.11.1.el9_5.x86_64}: there enterprise kernels count their minor releases and service packs.
     */
    private static String minor(String release) {
        int end = release.indexOf('-') + 1;
        if (end == 0) {
            return release;
        }
        while (end < release.length() && release.charAt(end) >= '0' && release.charAt(end) <= '9') {
            end++;
        }
        return release.substring(0, end);
    }
}
