package dev.weaklink.check.result;

import dev.weaklink.sys.Escape;
import dev.weaklink.sys.StableId;
import dev.weaklink.system.offers.OfferedKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Whether the modules in use would load on a kernel that is offered.
 *
 * @param refused names of the modules that would be refused, sorted
 * @param reason why, in one sentence without its full stop; escaped
 */
public record OfferAnswer(OfferedKernel kernel, Fit fit, List<String> refused, String reason) {
    public OfferAnswer {
        refused = List.copyOf(refused);
    }

    /**
     * Without modules that are lost whatever is done, as the kernel in use refuses them already.
     *
     * @param now the kernel in use
     */
    public OfferAnswer without(Set<String> lost, String now) {
        List<String> left = new ArrayList<>(refused);
        if (fit != Fit.REFUSED || !left.removeAll(lost)) {
            return this;
        }
        if (!left.isEmpty()) {
            return new OfferAnswer(kernel, fit, left, reason);
        }
        String said =
                "would refuse " + Escape.text(String.join(", ", refused) + "; so does " + now + ", which is in use");
        return new OfferAnswer(kernel, Fit.FITS_AS_FAR_AS_KNOWN, List.of(), said);
    }

    /** How sure it is. */
    public enum Fit implements StableId {
        FITS,
        /** Nothing that its repository publishes stands against it. */
        FITS_AS_FAR_AS_KNOWN,
        REFUSED,
        UNKNOWN
    }
}
