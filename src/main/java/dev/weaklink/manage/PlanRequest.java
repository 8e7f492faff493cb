package dev.weaklink.manage;

import dev.weaklink.check.ReadOptions;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be planned.
 *
 * @param root the image that is meant, null for the running system's own tree
 * @param kernels releases as typed; empty for every installed kernel
 * @param reading how modules are read
 */
public record PlanRequest(@Nullable Path root, List<String> kernels, ReadOptions reading) {
  public PlanRequest {
    kernels = List.copyOf(kernels);
  }
}
