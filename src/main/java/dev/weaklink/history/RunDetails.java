package dev.weaklink.history;

import dev.weaklink.audit.Nodes;
import java.util.List;

/**
 * All that is kept of one audit, and what changed with it. Texts are not escaped.
 *
 * @param kernels that were asked about, newest first
 * @param groups newest kernel first
 * @param changes what appeared and what went, sorted
 */
public record RunDetails(
    RecordedRun run, List<AskedKernel> kernels, List<KeptGroup> groups, List<Change> changes) {
  /** A kernel and for whom it is not, or not known to be, safe; nodes folded. */
  public record AskedKernel(String label, boolean safe, String unsafe, String unknown) {}

  /** Nodes, folded, that are alike for a kernel. */
  public record KeptGroup(String kernel, String digest, String nodes, int count) {}

  /**
   * What is new on some nodes, or gone from them.
   *
   * @param appeared false if it is gone
   */
  public record Change(boolean appeared, String what, Nodes nodes) {}
}
