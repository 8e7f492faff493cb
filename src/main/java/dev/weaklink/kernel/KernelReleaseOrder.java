package dev.weaklink.kernel;

import java.io.Serial;
import java.io.Serializable;
import java.util.Comparator;
import java.util.regex.Pattern;

/**
 * Orders kernel releases from old to new as {@link RpmOrder} does, with one more rule. A release candidate, {@code rc}
 * with a number, is older than its release: {@code 6.13.0-rc7} comes before {@code 6.13.0}.
 *
 * <p>The order is consistent with equals: releases that are equal for {@link RpmOrder} are ordered as strings.
 */
public final class KernelReleaseOrder implements Comparator<String>, Serializable {
    @Serial
    private static final long serialVersionUID = 1L;

    public static final KernelReleaseOrder INSTANCE = new KernelReleaseOrder();

    /**
     * The position before {@code rc} and a digit. A tilde inserted there makes a release candidate older than its
     * release.
     */
    private static final Pattern CANDIDATE = Pattern.compile("(?<![A-Za-z~])(?=rc[0-9])");

    private KernelReleaseOrder() {}

    /**
     * Returns the order in which builds are preferred for a kernel. The kernel's own builds come first, then builds for
     * older kernels, the newest first. Builds for newer kernels come last, the oldest first.
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

    private static String marked(String release) {
        return release.contains("rc") ? CANDIDATE.matcher(release).replaceAll("~") : release;
    }
}
