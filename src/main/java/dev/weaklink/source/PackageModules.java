package dev.weaklink.source;

import dev.weaklink.archive.EntryType;
import dev.weaklink.archive.EntryVisitor;
import dev.weaklink.archive.PackageEntry;
import dev.weaklink.archive.PackageFile;
import dev.weaklink.archive.PackageLimits;
import dev.weaklink.archive.PackageReader;
import dev.weaklink.archive.UnreadablePackageException;
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

  @Override
  public boolean wants(String path) {
    return EntryModuleReader.isModule(path);
  }

  @Override
  public void visit(PackageEntry entry) throws IOException {
    if (entry.type() == EntryType.FILE) {
      modules.put(entry.member(), reader.read(entry));
    }
  }

  @Override
  public void problem(String subject, String message) {
    problems.add(new InputProblem(subject.isEmpty() ? given : given + "!" + subject, message));
  }
}
