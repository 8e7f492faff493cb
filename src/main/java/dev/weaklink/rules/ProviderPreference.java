package dev.weaklink.rules;

import java.util.ArrayList;
import java.util.List;

/**
 * The order in which several builds of a module are tried.
 *
 * @param kind the kind of order
 * @param listed patterns of kernel releases, the best first; for {@link PreferenceKind#LISTED} only
 */
public record ProviderPreference(PreferenceKind kind, List<NamePattern> listed) {
    public static final ProviderPreference NEWEST = new ProviderPreference(PreferenceKind.NEWEST, List.of());

    public enum PreferenceKind {
        NEWEST,
        /** The order with builds for kernels of the target's own minor release first, then all other builds. */
        SAME_MINOR,
        /**
         * The order of {@link ProviderPreference#listed}. Builds for kernels that match none of its patterns are not
         * used.
         */
        LISTED
    }

    public ProviderPreference {
        listed = List.copyOf(listed);
    }

    /**
     * Returns the kernel releases whose builds are to be tried, in order.
     *
     * @param target the release of the kernel to link into
     * @param preferredFirst as in {@link Product#inOrder}
     */
    public List<String> order(String target, List<String> preferredFirst) {
        return switch (kind) {
            case NEWEST -> List.copyOf(preferredFirst);
            case SAME_MINOR -> sameMinorFirst(minor(target), preferredFirst);
            case LISTED -> asListed(preferredFirst);
        };
    }

    private static List<String> sameMinorFirst(String minor, List<String> preferredFirst) {
        List<String> ordered = new ArrayList<>(preferredFirst.size());
        List<String> others = new ArrayList<>();
        for (String release : preferredFirst) {
            (minor(release).equals(minor) ? ordered : others).add(release);
        }
        ordered.addAll(others);
        return ordered;
    }

    private List<String> asListed(List<String> preferredFirst) {
        List<String> left = new ArrayList<>(preferredFirst);
        List<String> ordered = new ArrayList<>();
        for (NamePattern pattern : listed) {
            for (String release : preferredFirst) {
                if (pattern.matches(release) && left.remove(release)) {
                    ordered.add(release);
                }
            }
        }
        return ordered;
    }

    /**
     * Returns a release up to and including the number directly after its first hyphen, such as {@code 5.14.0-503} of
     * {@code 5.14.0-503.11.1.el9_5.x86_64}. Enterprise kernels count their minor releases and service packs in this
     * number. Returns a release without a hyphen unchanged.
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
