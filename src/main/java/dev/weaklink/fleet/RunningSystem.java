package dev.weaklink.fleet;

import dev.weaklink.fleet.intake.NodeInventory;
import dev.weaklink.fleet.intake.NodeInventory.Kernel;
import dev.weaklink.fleet.intake.NodeInventory.Module;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compares the running kernel with what is installed beside it. */
final class RunningSystem {
  /** Has OFED's own version in every build of OFED. */
  private static final String OFED_MODULE = "mlx5_core";

  private RunningSystem() {}

  /** What is wrong, in any order. */
  static List<Defect> defects(NodeInventory inventory) {
    List<Defect> defects = new ArrayList<>(RunningModules.defects(inventory));
    String running = inventory.running();
    if (running != null && !inventory.kernels().isEmpty() && !isInstalled(inventory, running)) {
      defects.add(
          new Defect(Defect.Kind.NO_DIRECTORY, running, "nothing more can be loaded until reboot"));
    }
    Defect outOfStep = running == null ? null : outOfStep(inventory, running);
    if (outOfStep != null) {
      defects.add(outOfStep);
    }
    return defects;
  }

  private static boolean isInstalled(NodeInventory inventory, String release) {
    for (Kernel kernel : inventory.kernels()) {
      if (kernel.installed() && kernel.release().equals(release)) {
        return true;
      }
    }
    return false;
  }

  /** The libraries' version, as ofed_info reports it, beside that of the modules. */
  private static @Nullable Defect outOfStep(NodeInventory inventory, String running) {
    String ofed = inventory.ofed() == null ? null : version(inventory.ofed());
    if (ofed == null) {
      return null;
    }
    for (Module module : inventory.modules()) {
      String version = module.version();
      if (module.kernel().equals(running)
          && module.name().equals(OFED_MODULE)
          && Boolean.TRUE.equals(module.used())
          && version != null
          && !isBeginning(version, ofed)
          && !isBeginning(ofed, version)) {
        return new Defect(
            Defect.Kind.OUT_OF_STEP,
            OFED_MODULE,
            "the module is " + version + ", installed is " + inventory.ofed());
      }
    }
    return null;
  }

  /** What follows the last hyphen before the first digit of {@code MLNX_OFED_LINUX-24.10-1.1.4}. */
  private static @Nullable String version(String product) {
    for (int i = 1; i < product.length(); i++) {
      char c = product.charAt(i);
      if (c >= '0' && c <= '9' && product.charAt(i - 1) == '-') {
        return product.substring(i);
      }
    }
    return null;
  }

  /** Whether a version is another's without its last parts: 24.10-1.1.4 is of 24.10-1.1.4.0. */
  private static boolean isBeginning(String shorter, String longer) {
    return longer.startsWith(shorter)
        && (longer.length() == shorter.length()
            || "-.".indexOf(longer.charAt(shorter.length())) >= 0);
  }
}
