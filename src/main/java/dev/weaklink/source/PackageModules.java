package dev.weaklink.source;

import dev.weaklink.archive.PackageInfo;
import dev.weaklink.cache.PackageFacts;
import dev.weaklink.module.KernelModule;
import dev.weaklink.module.PackagedModule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The modules in a package. */
final class PackageModules {
  /** One package, of a bundle perhaps, and its modules. */
  private record Contents(PackageInfo owner, List<KernelModule> modules) {}

  private PackageModules() {}

  /** Sorted by their paths in it; what is wrong with it is a problem, and what was read counts. */
  static List<ModuleSource> of(
      PackageFacts facts, Path file, String given, List<InputProblem> problems) {
    GivenPackages.report(facts, given, problems);
    Map<String, PackagedModule> modules = new TreeMap<>();
    Map<String, Contents> owners = new TreeMap<>();
    for (PackagedModule module : facts.modules()) {
      modules.put(module.member(), module);
      if (module.facts() != null) {
        owners
            .computeIfAbsent(
                module.container(), container -> new Contents(module.info(), new ArrayList<>()))
            .modules()
            .add(module.facts());
      }
    }
    owners.forEach((container, contents) -> compareRequires(given, container, contents, problems));
    List<ModuleSource> found = new ArrayList<>(modules.size());
    for (PackagedModule module : modules.values()) {
      found.add(new ModuleSource(file, given, module));
    }
    return found;
  }

  private static void compareRequires(
      String given, String container, Contents contents, List<InputProblem> problems) {
    String wrong = SymbolRequires.contradiction(contents.owner(), contents.modules());
    if (wrong != null) {
      problems.add(new InputProblem(GivenPackages.subject(given, container), wrong));
    }
  }
}
