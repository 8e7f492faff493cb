package dev.weaklink.rebuild;

import dev.weaklink.rules.Rules;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a system shows about how its out-of-tree modules came to be.
 *
 * @param platform its distribution
 * @param products installed products, the surest first
 * @param dkms DKMS's tree: every package by itself, then with each kernel
 * @param akmods packages that akmods builds from
 * @param docaTool path of doca-kernel-support as seen from inside the root, null if not installed
 * @param bundle the installation image that was given, null if none was
 * @param rules what is in force there
 */
public record Evidence(
    Platform platform,
    List<Product> products,
    List<DkmsBuild> dkms,
    List<String> akmods,
    @Nullable String docaTool,
    @Nullable Bundle bundle,
    Rules rules) {
  public Evidence {
    products = List.copyOf(products);
    dkms = List.copyOf(dkms);
    akmods = List.copyOf(akmods);
  }

  /** Labels of the packages in DKMS's tree, sorted. */
  public Set<String> dkmsPackages() {
    Set<String> labels = new TreeSet<>();
    for (DkmsBuild build : dkms) {
      labels.add(build.label());
    }
    return labels;
  }
}
