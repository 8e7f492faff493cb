package dev.weaklink.build;

import dev.weaklink.rebuild.DkmsBuild;
import dev.weaklink.rebuild.DkmsBuild.State;
import dev.weaklink.source.InstalledKernels;
import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModuleNames;
import dev.weaklink.tree.WeakLink;
import dev.weaklink.tree.WeakUpdates;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads /var/lib/dkms as {@code dkms status} does (dkms 3): a package has {@code
 * NAME/VERSION/source}; a build {@code NAME/VERSION/KERNEL/ARCH/module}; an installed one the link
 * {@code NAME/kernel-KERNEL-ARCH}.
 */
final class DkmsTree {
  private static final String TREE = "/var/lib/dkms";

  private final Root root;
  private final RootText text;
  private final List<DkmsBuild> builds = new ArrayList<>();

  private DkmsTree(Root root) {
    this.root = root;
    this.text = new RootText(root);
  }

  static List<DkmsBuild> read(Root root) {
    DkmsTree tree = new DkmsTree(root);
    for (String name : tree.text.names(TREE)) {
      for (String version : tree.text.names(TREE + "/" + name)) {
        tree.addPackage(name, version);
      }
    }
    return tree.builds;
  }

  private void addPackage(String name, String version) {
    String directory = TREE + "/" + name + "/" + version;
    List<String> entries = text.names(directory);
    if (version.startsWith("kernel-") || !entries.contains("source")) {
      return;
    }
    State state = text.dangles(directory, "source") ? State.BROKEN : State.ADDED;
    builds.add(new DkmsBuild(name, version, "", state, ""));
    Map<String, Set<String>> modules = new HashMap<>();
    for (String kernel : entries) {
      Set<String> names = modules(directory, kernel);
      if (!names.isEmpty()) {
        modules.put(kernel, names);
        boolean installed = isInstalled(name, version, kernel);
        builds.add(
            new DkmsBuild(name, version, kernel, installed ? State.INSTALLED : State.BUILT, ""));
      }
    }
    addLinked(name, version, modules);
  }

  private Set<String> modules(String directory, String kernel) {
    Set<String> names = new HashSet<>();
    for (String arch : text.names(directory + "/" + kernel)) {
      for (String file : text.names(directory + "/" + kernel + "/" + arch + "/module")) {
        if (ModuleNames.isModuleFile(file)) {
          names.add(ModuleNames.ofFile(file));
        }
      }
    }
    return names;
  }

  private boolean isInstalled(String name, String version, String kernel) {
    for (String entry : text.names(TREE + "/" + name)) {
      if (entry.startsWith("kernel-" + kernel + "-")) {
        String arch = entry.substring(("kernel-" + kernel + "-").length());
        return text.isDirectory(TREE + "/" + name + "/" + entry + "/module")
            && text.isDirectory(
                TREE + "/" + name + "/" + version + "/" + kernel + "/" + arch + "/module");
      }
    }
    return false;
  }

  /** Kernels without a build of their own that a link gives the build of another one. */
  private void addLinked(String name, String version, Map<String, Set<String>> modules) {
    if (modules.isEmpty()) {
      return;
    }
    try {
      for (String kernel : InstalledKernels.list(root)) {
        String from = modules.containsKey(kernel) ? "" : linkedFrom(kernel, modules);
        if (!from.isEmpty()) {
          builds.add(new DkmsBuild(name, version, kernel, State.WEAK, from));
        }
      }
    } catch (IOException e) {
      // Kernels that cannot be listed have no links that could be known.
    }
  }

  private String linkedFrom(String kernel, Map<String, Set<String>> modules) throws IOException {
    for (WeakLink link : WeakUpdates.scan(root, kernel).links()) {
      for (Map.Entry<String, Set<String>> built : modules.entrySet()) {
        if (built.getValue().contains(link.name())
            && link.target().contains("/" + built.getKey() + "/")) {
          return built.getKey();
        }
      }
    }
    return "";
  }
}
