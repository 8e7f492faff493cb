package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Loaded;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares what is loaded with what modprobe would load now. */
final class RunningModules {
  /** TAINT_OOT_MODULE: set for every module without "intree" (kernel/module/main.c, 3.2+). */
  private static final String OUT_OF_TREE = "O";

  private final Map<String, Module> onDisk = new HashMap<>();
  private final Map<String, Module> elsewhere = new HashMap<>();

  private RunningModules(String running, List<Module> modules) {
    for (Module module : modules) {
      String name = loaderName(module.name());
      if (!module.kernel().equals(running)) {
        elsewhere.putIfAbsent(name, module);
      } else if (Boolean.TRUE.equals(module.used())) {
        onDisk.put(name, module);
      }
    }
  }

  /**
   * Modules in the running kernel that are not of the file its modules.dep lists, or that came with
   * the kernel although another kernel of the node has one that was added. Files without a
   * srcversion cannot be distinguished (include/linux/module.h, MODULE_VERSION).
   */
  static List<Defect> defects(NodeInventory inventory) {
    String running = inventory.running();
    if (running == null || inventory.loaded().isEmpty()) {
      return List.of();
    }
    RunningModules modules = new RunningModules(running, inventory.modules());
    List<Defect> defects = new ArrayList<>();
    for (Loaded loaded : inventory.loaded()) {
      Defect defect = modules.defect(loaded);
      if (defect != null) {
        defects.add(defect);
      }
    }
    return defects;
  }

  private @Nullable Defect defect(Loaded loaded) {
    String name = loaderName(loaded.name());
    String taint = loaded.taint();
    boolean inbox = taint == null || !taint.contains(OUT_OF_TREE);
    Module disk = onDisk.get(name);
    if (disk == null) {
      Module other = elsewhere.get(name);
      return !inbox || other == null ? null : missing(loaded, other);
    }
    String srcversion = disk.srcversion();
    String now = loaded.srcversion();
    if (srcversion == null || srcversion.equals(now)) {
      return null;
    }
    if (inbox) {
      return new Defect(
          Defect.Kind.INBOX_LOADED,
          loaded.name(),
          "srcversion " + (now == null ? "none" : now) + " is loaded, not that of " + disk.path());
    }
    return now == null
        ? null
        : new Defect(
            Defect.Kind.LOADED_DIFFERS,
            loaded.name(),
            "srcversion " + now + " is loaded, " + srcversion + " lies on disk");
  }

  private static Defect missing(Loaded loaded, Module other) {
    return new Defect(
        Defect.Kind.INBOX_LOADED, loaded.name(), "this kernel has nothing like " + other.path());
  }

  private static String loaderName(String name) {
    return name.replace('-', '_');
  }
}
