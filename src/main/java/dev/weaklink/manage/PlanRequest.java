package dev.weaklink.manage;

import dev.weaklink.check.ReadOptions;
import dev.weaklink.kernel.LoaderRule;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is to be planned.
 *
 * @param root the image that is meant, null for the running system's own tree
 * @param kernels releases as typed; empty for every installed kernel
 * @param signaturePolicy what becomes of modules whose signature the kernels do not trust; null for
 *     what the machine insists on, or the kernels themselves
 * @param reading how modules are read
 */
public record PlanRequest(
    @Nullable Path root,
    List<String> kernels,
    @Nullable String signaturePolicy,
    ReadOptions reading) {
  public PlanRequest {
    kernels = List.copyOf(kernels);
  }

  /** With the policy there is. */
  public PlanRequest(@Nullable Path root, List<String> kernels, ReadOptions reading) {
    this(root, kernels, null, reading);
  }

  /** Loader rules set by hand. */
  Map<LoaderRule, String> loader() {
    return signaturePolicy == null
        ? Map.of()
        : Map.of(LoaderRule.SIGNATURE_POLICY, signaturePolicy);
  }
}
