package dev.weaklink.kernel.store;

import dev.weaklink.kernel.TargetKernel;
import java.util.List;

/**
 * What is in a store.
 *
 * @param kernels those that are in order, from old to new
 * @param corrupt the files that are not, each with the reason
 */
public record StoreListing(List<Kept> kernels, List<Corrupt> corrupt) {
  public StoreListing {
    kernels = List.copyOf(kernels);
    corrupt = List.copyOf(corrupt);
  }

  /** A kernel, and its file's size in bytes. */
  public record Kept(StoreEntry entry, TargetKernel kernel, long size) {}

  /** A file that is left aside, and why. */
  public record Corrupt(StoreEntry entry, String reason) {}
}
