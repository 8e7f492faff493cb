package dev.weaklink.links.plan;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import dev.weaklink.system.WeakLink;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An out-of-tree module in the kernel's own directory: built for this very kernel.
 *
 * @param module its name
 * @param unit what it belongs to
 * @param file its path as seen from inside the root
 * @param outcome what the loader would say to it
 * @param verdict the loader's verdict in full, null if the file could not be read
 * @param reason one sentence
 * @param shadowed links to builds of other kernels that it makes superfluous
 */
public record OwnBuild(
    String module,
    Unit unit,
    String file,
    Outcome outcome,
    @Nullable Verdict verdict,
    String reason,
    List<WeakLink> shadowed) {
  public OwnBuild {
    shadowed = List.copyOf(shadowed);
  }
}
