package dev.weaklink.system.offers;

import dev.weaklink.sys.InputProblem;
import java.util.List;

/**
 * What the repositories of a system offer.
 *
 * @param kernels from old to new
 * @param problems which of their lists could not be read
 */
public record Offers(List<OfferedKernel> kernels, List<InputProblem> problems) {
  public Offers {
    kernels = List.copyOf(kernels);
    problems = List.copyOf(problems);
  }
}
