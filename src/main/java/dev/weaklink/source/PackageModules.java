package dev.weaklink.source;

import dev.weaklink.archive.EntryType;
import dev.weaklink.archive.EntryVisitor;
import dev.weaklink.archive.PackageEntry;
import dev.weaklink.archive.PackageFile;
import dev.weaklink.archive.PackageInfo;
import dev.weaklink.archive.PackageLimits;
import dev.weaklink.archive.PackageReader;
import dev.weaklink.archive.UnreadablePackageException;
import dev.weaklink.module.KernelModule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The modules in a package, sorted by their paths in it. Links are other names of modules that are
 * there, or of files that are not, and are passed over.
 */
final class PackageModules implements EntryVisitor {
  private final String given;
  private final List<InputProblem> problems;
  private final EntryModuleReader reader;
  private final Map<String, PackagedModule> modules = new TreeMap<>();

  private final Map<String, Contents> owners = new TreeMap<>();

  /** One package, of a bundle perhaps, and its modules. */
  private record Contents(PackageInfo owner, List<KernelModule> modules) {}

  private PackageModules(String given, List<InputProblem> problems) {
    this.given = given;
    this.problems = problems;
    this.reader = new EntryModuleReader(given);
  }

  /** Goes through a package; what is wrong with it is a problem, and what was read counts. */
  static List<ModuleSource> read(Path file, String given, List<InputProblem> problems) {
    PackageModules visitor = new PackageModules(given, problems);
    int before = problems.size();
    try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
      open.forEach(visitor);
    } catch (UnreadablePackageException e) {
      problems.add(new InputProblem(given, e.reason()));
    }
    visitor.compareRequires();
    List<ModuleSource> found = new ArrayList<>(visitor.modules.size());
    for (PackagedModule module : visitor.modules.values()) {
      found.add(new ModuleSource(file, given, module));
    }
    if (found.isEmpty() && problems.size() == before) {
      problems.add(
          new InputProblem(given, "no files named .ko, .ko.gz, .ko.xz or .ko.zst in the package"));
    }
    return found;
  }

  private void compareRequires() {
    for (Map.Entry<String, Contents> container : owners.entrySet()) {
      Contents contents = container.getValue();
      String wrong = SymbolRequires.contradiction(contents.owner(), contents.modules());
      if (wrong != null) {
        problem(container.getKey(), wrong);
      }
    }
  }

  @Override
  public boolean wants(String path) {
    return EntryModuleReader.isModule(path);
  }

  @Override
  public void visit(PackageEntry entry) throws IOException {
    if (entry.type() == EntryType.FILE) {
      PackagedModule module = reader.read(entry);
      modules.put(entry.member(), module);
      if (module.facts() != null) {
        owners
            .computeIfAbsent(
                entry.container(), container -> new Contents(entry.owner(), new ArrayList<>()))
            .modules()
            .add(module.facts());
      }
    }
  }

  @Override
  public void problem(String subject, String message) {
    problems.add(new InputProblem(subject.isEmpty() ? given : given + "!" + subject, message));
  }
}
