package dev.weaklink.kernel;

import java.io.Serial;
import java.io.Serializable;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * Orders kernel releases from old to new as {@link RpmOrder} does, with one rule more: {@code rc} with a number is
 * older than nothing at all, so {@code 6.13.0-rc7} comes before {@code 6.13.0}.
 *
 * <p>Consistent with equals: releases that differ in separators alone are ordered as strings.
 */
public final class KernelReleaseOrder implements Comparator<String>, Serializable {
    @Serial
    private static final long serialVersionUID = 1L;

    public static final KernelReleaseOrder INSTANCE = new KernelReleaseOrder();

    /** Before a run of letters that is rc, if digits follow it. */
    private static final Pattern CANDIDATE = Pattern.compile("(?<![A-Za-z~])(?=rc[0-9])");

    private KernelReleaseOrder() {}

    /**
     * Whose builds are preferred for a kernel: its own, then those of the newest kernel that is not newer, and so on to
     * the oldest; then those of newer kernels, the oldest first.
     */
    public static Comparator<String> preferredFor(String release) {
        return (left, right) -> {
            boolean leftNewer = INSTANCE.compare(left, release) > 0;
            boolean rightNewer = INSTANCE.compare(right, release) > 0;
            if (leftNewer != rightNewer) {
                return leftNewer ? 1 : -1;
            }
            return leftNewer ? INSTANCE.compare(left, right) : INSTANCE.compare(right, left);
        };
    }

    @Override
    public int compare(String left, String right) {
        int order = RpmOrder.INSTANCE.compare(marked(left), marked(right));
        return order == 0 ? left.compareTo(right) : order;
    }

    /** With a tilde before a release candidate, so that it is older than its release. */
    private static String marked(String release) {
        return release.contains("rc") ? CANDIDATE.matcher(release).replaceAll("~") : release;
    }
}
