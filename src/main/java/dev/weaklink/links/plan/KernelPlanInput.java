package dev.weaklink.links.plan;

import dev.weaklink.system.WeakLink;
import java.util.List;
import java.util.Set;

/**
 * All that a kernel's plan is made of.
 *
 * @param kernel its release
 * @param own builds in its own directory
 * @param candidates builds of other kernels; of one module the preferred first
 * @param links the links below its weak-updates
 * @param unseen paths that depmod has not seen, or that are gone and it has
 * @param onlyNewer names of modules of which all builds are for newer kernels, and none is wanted
 */
public record KernelPlanInput(
    String kernel,
    List<OwnBuild> own,
    List<LinkCandidate> candidates,
    List<WeakLink> links,
    List<String> unseen,
    Set<String> onlyNewer) {
  public KernelPlanInput {
    own = List.copyOf(own);
    candidates = List.copyOf(candidates);
    links = List.copyOf(links);
    unseen = List.copyOf(unseen);
    onlyNewer = Set.copyOf(onlyNewer);
  }
}
