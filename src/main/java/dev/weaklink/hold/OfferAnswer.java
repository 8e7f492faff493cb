package dev.weaklink.hold;

import dev.weaklink.sys.Escape;
import dev.weaklink.sys.StableId;
import dev.weaklink.system.offers.OfferedKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The answer to whether the modules in use would load on an offered kernel.
 *
 * @param refused the names of refused modules, sorted
 * @param reason the reason as one sentence without a full stop; escaped
 */
public record OfferAnswer(OfferedKernel kernel, Fit fit, List<String> refused, String reason) {
    public OfferAnswer {
        refused = List.copyOf(refused);
    }

    /**
     * Returns the answer without the modules that the kernel in use already refuses: the machine already works without
     * these modules.
     *
     * @param lost the modules that the kernel in use refuses
     * @param now the release of the kernel in use
     */
    public OfferAnswer without(Set<String> lost, String now) {
        List<String> left = new ArrayList<>(refused);
        if (fit != Fit.REFUSED || !left.removeAll(lost)) {
            return this;
        }
        if (!left.isEmpty()) {
            List<String> also = new ArrayList<>(refused);
            also.retainAll(lost);
            String known = "; the kernel in use, " + now + ", also refuses " + String.join(", ", also);
            return new OfferAnswer(kernel, fit, left, reason + Escape.text(known));
        }
        String said = "would refuse "
                + Escape.text(String.join(", ", refused) + "; the kernel in use, " + now + ", does too");
        return new OfferAnswer(kernel, Fit.FITS_AS_FAR_AS_KNOWN, List.of(), said);
    }

    public enum Fit implements StableId {
        FITS,
        /**
         * The packages' metadata shows no reason for a refusal, but does not show everything that the loader checks.
         * Also used if the kernel refuses only modules that the kernel in use already refuses.
         */
        FITS_AS_FAR_AS_KNOWN,
        REFUSED,
        UNKNOWN
    }
}
