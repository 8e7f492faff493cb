package dev.weaklink.rebuild.run;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.rebuild.ReloadForecast;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.initramfs.InitramfsPlanner;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsStep;
import dev.weaklink.system.initramfs.InitramfsPlanner.InitramfsSteps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What remains to be done by hand once modules were installed. */
final class FollowUpSteps {
  private FollowUpSteps() {}

  /** Images that hold another build of what was installed, and what renews them. */
  static List<String> initramfs(Root root, Map<String, Set<String>> modules) {
    InitramfsSteps steps = InitramfsPlanner.steps(root, modules);
    List<String> words = new ArrayList<>();
    for (InitramfsStep step : steps.steps()) {
      words.add("stale; run: " + String.join(" ", step.command()));
    }
    words.addAll(steps.notes());
    words.addAll(steps.problems());
    return words;
  }

  /**
   * The one step that gets modules loaded that were installed: to boot the kernel that boots next
   * if it has any, else to reload those of the kernel that runs, else to boot one that has.
   *
   * @param next the kernel that boots next; null if that is not known
   * @return empty if nothing is left to do
   */
  static String loading(Root root, Set<String> installed, @Nullable String next, int threads) {
    Set<String> kernels = new TreeSet<>(KernelReleaseOrder.INSTANCE.reversed());
    kernels.addAll(installed);
    String running = new RootText(root).read(ReloadProbe.RELEASE, 4096).strip();
    String here = kernels.remove(running) ? reload(root, threads) : "";
    if (next != null && kernels.contains(next)) {
      return (here.startsWith("reload") ? here + ", or " : "") + "boot " + next;
    }
    return here.isEmpty() && !kernels.isEmpty() ? "boot " + String.join(" or ", kernels) : here;
  }

  private static String reload(Root root, int threads) {
    try {
      return reload(ReloadProbe.look(root, threads).forecast());
    } catch (IOException e) {
      return "reboot; which modules are loaded is unknown: " + IoReason.of(e);
    }
  }

  private static String reload(ReloadForecast forecast) {
    if (!forecast.isOutdated()) {
      return "";
    }
    if (forecast.canReload()) {
      return "reload " + String.join(", ", forecast.stale());
    }
    List<String> why = new ArrayList<>(forecast.hindrances());
    why.addAll(forecast.foreign());
    return "reboot" + (why.isEmpty() ? "" : "; a reload would fail: " + String.join("; ", why));
  }
}
