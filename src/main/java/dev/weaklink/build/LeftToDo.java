package dev.weaklink.build;

import dev.weaklink.initramfs.InitramfsPlanner;
import dev.weaklink.initramfs.InitramfsSteps;
import dev.weaklink.links.InitramfsStep;
import dev.weaklink.manage.InstalledRuns;
import dev.weaklink.rebuild.ReloadForecast;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What remains to be done by hand once modules were installed. */
final class LeftToDo {
  private static final String RELEASE = "/proc/sys/kernel/osrelease";

  private LeftToDo() {}

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

  /** What makes modules that were installed those that are loaded: a reload, or a reboot. */
  static List<String> loading(Root root, InstalledRuns installed, int threads) {
    String running = new RootText(root).read(RELEASE, 4096).strip();
    List<String> steps = new ArrayList<>();
    for (String kernel : installed.modules().keySet()) {
      if (!kernel.equals(running)) {
        steps.add("boot " + kernel);
        continue;
      }
      try {
        String step = reload(ReloadProbe.look(root, null, threads).forecast());
        steps.addAll(step.isEmpty() ? List.of() : List.of(step));
      } catch (IOException e) {
        steps.add("reboot; which modules are loaded is unknown: " + IoReason.of(e));
      } catch (UnusableJobException e) {
        steps.add("reboot; which modules are loaded is unknown: " + e.getMessage());
      }
    }
    return steps;
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
