package dev.weaklink.source;

import dev.weaklink.tree.ModuleTree;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A kernel as one or more packages have it.
 *
 * @param release its release
 * @param label the package as given, and the release where it holds several kernels
 * @param packages all packages it was put together from, as given
 * @param owners what those say of themselves, name and version, each once
 * @param symvers the kernel's exports, the first that can be used counts
 * @param images the kernel itself, the first that can be used counts
 * @param config its configuration
 * @param builtInInfo the modinfo of what is compiled in
 * @param tree its modules, null if the packages have none
 * @param modules what was read of them, by their paths in the tree
 */
public record PackagedKernel(
    String release,
    String label,
    List<String> packages,
    List<String> owners,
    List<FoundFile> symvers,
    List<FoundFile> images,
    @Nullable FoundFile config,
    @Nullable FoundFile builtInInfo,
    @Nullable ModuleTree tree,
    Map<String, PackagedModule> modules) {
  public PackagedKernel {
    packages = List.copyOf(packages);
    owners = List.copyOf(owners);
    symvers = List.copyOf(symvers);
    images = List.copyOf(images);
    modules = Map.copyOf(modules);
  }
}
