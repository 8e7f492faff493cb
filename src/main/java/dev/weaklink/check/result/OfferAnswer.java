package dev.weaklink.check.result;

import dev.weaklink.sys.StableId;
import dev.weaklink.system.offers.OfferedKernel;
import java.util.List;

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

  /** How sure it is. */
  public enum Fit implements StableId {
    FITS,
    /** Nothing that its repository publishes stands against it. */
    FITS_AS_FAR_AS_KNOWN,
    REFUSED,
    UNKNOWN
  }
}
