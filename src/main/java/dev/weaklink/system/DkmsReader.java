package dev.weaklink.system;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.DkmsBuild.State;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads /var/lib/dkms as {@code dkms status} does (dkms 3): a package has {@code
 * NAME/VERSION/source}; a build {@code NAME/VERSION/KERNEL/ARCH/module}; an installed one the link
 * {@code NAME/kernel-KERNEL-ARCH}.
 */
public final class DkmsReader {
  private static final String TREE = "/var/lib/dkms";
  private static final int CONF_LIMIT = 1 << 20;

  private final Root root;
  private final RootText text;
  private final List<DkmsPackage> packages = new ArrayList<>();
  private final List<DkmsBuild> builds = new ArrayList<>();

  private DkmsReader(Root root) {
    this.root = root;
    this.text = new RootText(root);
  }

  /** Reads that of a root; what cannot be read is missing. */
  public static DkmsTree read(Root root) {
    DkmsReader reader = new DkmsReader(root);
    for (String name : reader.text.names(TREE)) {
      List<String> versions = new ArrayList<>(reader.text.names(TREE + "/" + name));
      versions.sort(KernelReleaseOrder.INSTANCE);
      for (String version : versions) {
        reader.addPackage(name, version);
      }
    }
    return new DkmsTree(reader.packages, reader.builds);
  }

  private void addPackage(String name, String version) {
    String directory = TREE + "/" + name + "/" + version;
    List<String> entries = text.names(directory);
    if (version.startsWith("kernel-") || !entries.contains("source")) {
      return;
    }
    // Made from outside of an image, the link leads out of it, and is followed by no one inside.
    String own = "/usr/src/" + name + "-" + version;
    boolean dangles = text.dangles(directory, "source") && !text.isDirectory(own);
    State state = dangles ? State.BROKEN : State.ADDED;
    String conf = text.read(directory + "/source/dkms.conf", CONF_LIMIT);
    conf = conf.isEmpty() ? text.read(own + "/dkms.conf", CONF_LIMIT) : conf;
    packages.add(DkmsConf.read(name, version, conf));
    builds.add(new DkmsBuild(name, version, "", state, "", List.of()));
    Map<String, Set<String>> modules = new TreeMap<>();
    for (String kernel : entries) {
      Set<String> names = modules(directory, kernel);
      if (!names.isEmpty()) {
        modules.put(kernel, names);
        boolean installed = isInstalled(name, version, kernel);
        builds.add(
            new DkmsBuild(
                name,
                version,
                kernel,
                installed ? State.INSTALLED : State.BUILT,
                "",
                new ArrayList<>(names)));
      }
    }
    addLinked(name, version, modules);
  }

  private Set<String> modules(String directory, String kernel) {
    Set<String> names = new TreeSet<>();
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
        String build = TREE + "/" + name + "/" + version + "/" + kernel + "/" + arch;
        return text.isDirectory(build + "/module")
            && isSame(TREE + "/" + name + "/" + entry, build);
      }
    }
    return false;
  }

  private boolean isSame(String link, String directory) {
    try {
      return root.resolve(link).equals(root.resolve(directory));
    } catch (IOException e) {
      return false;
    }
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
          builds.add(new DkmsBuild(name, version, kernel, State.WEAK, from, List.of()));
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
