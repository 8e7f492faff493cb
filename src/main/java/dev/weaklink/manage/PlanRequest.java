package dev.weaklink.manage;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is to be planned.
 *
 * @param root the image that is meant, null for the running system's own tree
 * @param kernels releases as typed; empty for every installed kernel
 * @param jobs number of threads, at least 1
 */
public record PlanRequest(@Nullable Path root, List<String> kernels, int jobs) {
  public PlanRequest {
    kernels = List.copyOf(kernels);
  }
}
