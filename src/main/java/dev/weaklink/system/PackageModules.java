package dev.weaklink.system;

import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.UnreadableException;
import dev.weaklink.system.cache.PackageFacts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The modules in a package. */
final class PackageModules {
  private PackageModules() {}

  /** Sorted by their paths in it; what is wrong with it is a problem, and what was read counts. */
  static List<ModuleSource> of(
      PackageFacts facts, Path file, String given, List<InputProblem> problems) {
    GivenPackages.report(facts, given, problems);
    Map<String, PackagedModule> modules = new TreeMap<>();
    Map<String, List<PackagedModule>> packages = new TreeMap<>();
    for (PackagedModule module : facts.modules()) {
      modules.put(module.member(), module);
      packages.computeIfAbsent(module.container(), key -> new ArrayList<>()).add(module);
    }
    packages.forEach(
        (container, contents) -> compareRequires(given, container, contents, problems));
    List<ModuleSource> found = new ArrayList<>(modules.size());
    for (PackagedModule module : modules.values()) {
      found.add(new ModuleSource(file, given, module));
    }
    return found;
  }

  private static void compareRequires(
      String given, String container, List<PackagedModule> contents, List<InputProblem> problems) {
    PackageInfo owner = contents.get(0).info();
    if (!SymbolRequires.areIn(owner)) {
      return;
    }
    List<KernelModule> modules = new ArrayList<>(contents.size());
    for (PackagedModule module : contents) {
      try {
        modules.add(module.facts().read());
      } catch (UnreadableException e) {
        // a problem of its own
        continue;
      }
    }
    String wrong = SymbolRequires.contradiction(owner, modules);
    if (wrong != null) {
      problems.add(new InputProblem(GivenPackages.subject(given, container), wrong));
    }
  }
}
