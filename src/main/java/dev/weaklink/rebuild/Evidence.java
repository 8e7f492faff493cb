package dev.weaklink.rebuild;

import dev.weaklink.rules.Rules;
import dev.weaklink.system.DkmsTree;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a system shows about how its out-of-tree modules came to be.
 *
 * @param platform its distribution
 * @param products installed products, the surest first
 * @param dkms DKMS's tree
 * @param docaTool path of doca-kernel-support as seen from inside the root, null if not installed
 * @param bundle the installation image that was given, null if none was
 * @param rules what is in force there
 */
public record Evidence(
    Platform platform,
    List<RebuildProduct> products,
    DkmsTree dkms,
    @Nullable String docaTool,
    @Nullable Bundle bundle,
    Rules rules) {
  public Evidence {
    products = List.copyOf(products);
  }
}
