package dev.weaklink.explain;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Two kernels compared.
 *
 * @param from what the older kernel was given as
 * @param to what the newer kernel was given as
 * @param difference what differs; null if a kernel could not be read
 * @param unknown symbols asked for that neither kernel exports
 * @param notes what is not known, each with the kernel it is about
 */
public record ExplainReport(
    String from,
    String to,
    @Nullable KernelDifference difference,
    List<String> unknown,
    List<String> notes) {
  public ExplainReport {
    unknown = List.copyOf(unknown);
    notes = List.copyOf(notes);
  }
}
