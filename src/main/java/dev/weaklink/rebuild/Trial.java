package dev.weaklink.rebuild;

import dev.weaklink.sys.StableId;
import java.util.Collection;
import java.util.List;

/**
 * The result of a trial build, which installs nothing. A trial build shows whether a product's source compiles for a
 * kernel and whether the kernel would load the modules.
 *
 * @param product the DKMS package as {@code NAME/VERSION}, or the name of another product
 * @param kernel the kernel release
 * @param result the outcome of the trial
 * @param line the reason for the result, such as the compiler's first error or the loader's finding; empty if the
 *     modules would load
 * @param next the recommended step, a sentence or a command; empty if no step is needed
 * @param modules the names of the modules that were built, sorted
 * @param tried the UTC time of the build in ISO 8601, such as {@code 2026-11-26T03:14:15Z}
 * @param inputs the SHA-256 in hex of the inputs (source, headers, compiler); empty if not recorded
 * @param offer the key of the offered kernel ({@link dev.weaklink.system.offers.OfferedKernel#key}) for which a DKMS
 *     package was tried; empty for other trials. If the source was offered, too, the key names its package
 *     ({@link dev.weaklink.rebuild.run.TrialInputs#offer})
 * @param source the SHA-256 in hex of the product's source and the compiler; empty if unknown
 */
public record Trial(
        String product,
        String kernel,
        TrialResult result,
        String line,
        String next,
        List<String> modules,
        String tried,
        String inputs,
        String offer,
        String source) {
    /** The separator in {@code offer} before the package whose source was built; {@link #BY} precedes the compiler. */
    public static final String WITH = " with ";

    public static final String BY = " by ";

    public Trial {
        modules = List.copyOf(modules);
    }

    /**
     * Returns the offered package whose source was built, as {@code NAME=VERSION}; empty if the source was installed.
     */
    public String offeredSource() {
        int from = offer.indexOf(WITH);
        int to = offer.indexOf(BY, Math.max(from, 0));
        return from < 0 || to < 0 ? "" : offer.substring(from + WITH.length(), to);
    }

    public Trial withOffer(String key, String digest) {
        return new Trial(product, kernel, result, line, next, modules, tried, "", key, digest);
    }

    public Trial with(Collection<String> names) {
        return new Trial(product, kernel, result, line, next, List.copyOf(names), tried, inputs, offer, source);
    }

    /** The outcome of a trial build. The ids are part of the machine-readable contract. */
    public enum TrialResult implements StableId {
        LOADS("builds and would load"),
        DOES_NOT_COMPILE("does not compile"),
        WOULD_BE_REFUSED("builds, but the kernel would refuse the result"),
        NOT_TRIED("gave no result");

        private final String words;

        TrialResult(String words) {
            this.words = words;
        }

        public String words() {
            return words;
        }

        /** Returns whether the trial showed that the kernel would have to run without the modules. */
        public boolean isFailure() {
            return this == DOES_NOT_COMPILE || this == WOULD_BE_REFUSED;
        }
    }
}
