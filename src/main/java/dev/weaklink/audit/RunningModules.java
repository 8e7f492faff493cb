package dev.weaklink.audit;

import dev.weaklink.intake.Inventory;
import dev.weaklink.intake.Inventory.Loaded;
import dev.weaklink.intake.Inventory.Module;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares what is loaded with what modprobe would load now. */
final class RunningModules {
  private RunningModules() {}

  /**
   * Modules in the running kernel that are of another source than the file its modules.dep lists.
   * Those without a srcversion cannot be told apart (include/linux/module.h, MODULE_VERSION).
   */
  static List<Defect> defects(Inventory inventory) {
    String running = inventory.running();
    if (running == null) {
      return List.of();
    }
    Map<String, String> onDisk = new HashMap<>();
    for (Module module : inventory.modules()) {
      String srcversion = module.srcversion();
      if (module.kernel().equals(running)
          && Boolean.TRUE.equals(module.used())
          && srcversion != null) {
        onDisk.put(loaderName(module.name()), srcversion);
      }
    }
    List<Defect> defects = new ArrayList<>();
    for (Loaded loaded : inventory.loaded()) {
      String disk = onDisk.get(loaderName(loaded.name()));
      if (differs(loaded.srcversion(), disk)) {
        defects.add(
            new Defect(
                Defect.Kind.LOADED_DIFFERS,
                loaded.name(),
                "srcversion " + loaded.srcversion() + " is loaded, " + disk + " lies on disk"));
      }
    }
    return defects;
  }

  private static boolean differs(@Nullable String loaded, @Nullable String disk) {
    return loaded != null && disk != null && !loaded.equals(disk);
  }

  private static String loaderName(String name) {
    return name.replace('-', '_');
  }
}
