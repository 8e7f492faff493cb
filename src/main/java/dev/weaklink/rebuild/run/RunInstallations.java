package dev.weaklink.rebuild.run;

import dev.weaklink.links.Installations;
import dev.weaklink.links.InstalledRuns;
import dev.weaklink.links.transaction.TransactionSettings;
import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Manifest;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What runs of rebuilds have installed; takes it back, and then says what became of it. */
public final class RunInstallations implements Installations {
  private final Root root;
  private final TransactionSettings settings;
  private final List<UndoneInstallation> undone = new ArrayList<>();

  public RunInstallations(Root root, TransactionSettings settings) {
    this.root = root;
    this.settings = settings;
  }

  @Override
  public InstalledRuns of(List<String> runs) throws IOException {
    return of(runs, 0);
  }

  /** The same, for a transaction of a group. */
  InstalledRuns of(List<String> runs, int group) throws IOException {
    Map<String, Set<String>> modules = new TreeMap<>();
    for (String run : runs) {
      Manifest manifest = EarlierRuns.read(RunDirectory.named(root, run).resolve("manifest.json"));
      modules
          .computeIfAbsent(RunDirectory.kernelOf(run), kernel -> new TreeSet<>())
          .addAll(BuiltModule.names(manifest == null ? List.of() : manifest.modules()));
    }
    return new InstalledRuns(runs, modules, group);
  }

  @Override
  public void takeBack(List<String> runs) throws IOException {
    for (int i = runs.size() - 1; i >= 0; i--) {
      undone.add(UndoneInstallation.ofRun(root, runs.get(i), settings));
    }
  }

  /** What was put back or removed, as seen from inside the root. */
  public List<String> files() {
    List<String> files = new ArrayList<>();
    undone.forEach(one -> files.addAll(one.files()));
    files.removeAll(changed());
    return files;
  }

  /** What somebody changed since, and was left alone. */
  public List<String> changed() {
    List<String> changed = new ArrayList<>();
    undone.forEach(one -> changed.addAll(one.changed()));
    return changed;
  }

  /** What has to be run to take back what other programs installed. */
  public List<String> commands() {
    List<String> commands = new ArrayList<>();
    undone.forEach(one -> commands.addAll(one.commands()));
    return commands;
  }
}
