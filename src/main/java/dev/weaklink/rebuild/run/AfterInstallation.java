package dev.weaklink.rebuild.run;

import dev.weaklink.check.CheckEngine;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.links.LinkManager;
import dev.weaklink.links.PlanRequest;
import dev.weaklink.links.PlanResult;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Manifest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks at a kernel once modules were installed for it. */
public final class AfterInstallation {
  private AfterInstallation() {}

  /**
   * How things stand then.
   *
   * @param check the loader's answer to what is installed under the names that were built
   * @param plan what should happen with the kernel's links now
   * @param modules out-of-tree modules that went and came
   * @param initramfs images that hold another build of what was installed, and what renews them
   */
  public record State(
      CheckReport check, PlanResult plan, SetDifference modules, List<String> initramfs) {
    public State {
      initramfs = List.copyOf(initramfs);
    }
  }

  /**
   * Looks.
   *
   * @throws IOException if the root cannot be read
   */
  public static State look(
      PreparedRebuild prepared,
      Manifest manifest,
      Installation.Installed installed,
      CheckEngine engine)
      throws IOException {
    String kernel = prepared.job().place().kernel();
    @Nullable Path root = prepared.request().root();
    int jobs = prepared.request().jobs();
    Set<String> names = installed.names(manifest);
    CheckReport check = prepared.check(engine, names);
    PlanResult plan =
        new LinkManager().plan(new PlanRequest(root, List.of(kernel), ReadOptions.uncached(jobs)));
    SetDifference modules =
        SetDifference.between(
            files(manifest.before()), files(Inventory.installed(prepared.root(), jobs)));
    return new State(
        check, plan, modules, FollowUpSteps.initramfs(prepared.root(), Map.of(kernel, names)));
  }

  private static Set<String> files(List<BuiltModule> modules) {
    Set<String> files = new TreeSet<>();
    for (BuiltModule module : modules) {
      files.add(module.file() + " " + module.srcversion());
    }
    return files;
  }

  /**
   * What two sets of names differ by.
   *
   * @param missing names that were there before and are not now, sorted
   * @param added names that were not there before, sorted
   */
  public record SetDifference(List<String> missing, List<String> added) {
    public SetDifference {
      missing = List.copyOf(missing);
      added = List.copyOf(added);
    }

    /** Compares. */
    public static SetDifference between(Collection<String> before, Collection<String> after) {
      TreeSet<String> missing = new TreeSet<>(before);
      missing.removeAll(after);
      TreeSet<String> added = new TreeSet<>(after);
      added.removeAll(before);
      return new SetDifference(new ArrayList<>(missing), new ArrayList<>(added));
    }
  }
}
