package dev.weaklink.links;

import dev.weaklink.links.transaction.TransactionListener;
import dev.weaklink.sys.Root;
import dev.weaklink.system.ModuleNames;
import dev.weaklink.system.initramfs.InitramfsPlanner;
import dev.weaklink.system.initramfs.InitramfsStep;
import dev.weaklink.system.initramfs.InitramfsSteps;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The modules whose links a transaction changes, by kernel. */
final class ChangedModules {
  private static final String MODULES = "lib/modules/";

  private final Map<String, Set<String>> byKernel = new LinkedHashMap<>();

  /**
   * Adds one.
   *
   * @param path a link below a kernel's weak-updates, as seen from inside the root
   */
  void add(String path) {
    int start = path.indexOf(MODULES) + MODULES.length();
    int end = path.indexOf('/', start);
    String name = ModuleNames.ofFile(path.substring(path.lastIndexOf('/') + 1));
    byKernel.computeIfAbsent(path.substring(start, end), k -> new TreeSet<>()).add(name);
  }

  /** Adds modules that were installed. */
  void add(InstalledRuns installed) {
    installed
        .modules()
        .forEach(
            (kernel, names) ->
                byKernel.computeIfAbsent(kernel, k -> new TreeSet<>()).addAll(names));
  }

  /** Releases of the kernels, in the order in which they were met. */
  List<String> kernels() {
    return new ArrayList<>(byKernel.keySet());
  }

  /** What renews the images that hold a module that changes; the listener hears of the rest. */
  List<InitramfsStep> renewals(Root root, TransactionListener listener) {
    InitramfsSteps steps = InitramfsPlanner.steps(root, byKernel);
    for (String note : steps.notes()) {
      listener.warning(note);
    }
    for (String problem : steps.problems()) {
      listener.warning(problem);
    }
    return steps.steps();
  }
}
