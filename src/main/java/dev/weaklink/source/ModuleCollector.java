package dev.weaklink.source;

import dev.weaklink.archive.PackageReader;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.FileIdentity;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModuleFile;
import dev.weaklink.tree.ModuleNames;
import dev.weaklink.tree.ModuleTree;
import dev.weaklink.tree.OutOfTree;
import dev.weaklink.tree.TreeProblem;
import dev.weaklink.tree.TreeWalk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Gathers module files from arguments of every kind, each file once. */
final class ModuleCollector {
  private final Root root;
  private final List<String> releases;
  private final boolean identities;
  private final List<ModuleSource> modules = new ArrayList<>();
  private final Set<Path> known = new HashSet<>();
  private final List<InputProblem> problems = new ArrayList<>();
  private @Nullable List<ModuleTree> trees;

  /**
   * Begins with nothing.
   *
   * @param identities whether the identity of files found in directories will be wanted
   */
  ModuleCollector(Root root, List<String> releases, boolean identities) {
    this.root = root;
    this.identities = identities;
    this.releases = releases;
  }

  ModuleArguments result() {
    return new ModuleArguments(modules, problems);
  }

  void addArgument(String argument) {
    if (argument.isEmpty()) {
      // To the system an empty path is an error; to NIO it is the current directory.
      problems.add(new InputProblem(argument, "no such file"));
      return;
    }
    try {
      addPath(Path.of(argument), argument);
    } catch (InvalidPathException e) {
      problems.add(new InputProblem(argument, "not a valid path"));
    }
  }

  void addList(InputStream stdin) {
    for (Path path : PathList.read(stdin, problems)) {
      addPath(path, path.toString());
    }
  }

  void addOutOfTree() {
    try {
      for (ModuleTree tree : scanned(InstalledKernels.list(root))) {
        report(tree.problems());
        addAll(OutOfTree.of(tree));
      }
    } catch (IOException e) {
      problems.add(
          new InputProblem(root.toString(), "kernels cannot be listed: " + IoReason.of(e)));
    }
  }

  private void addPath(Path path, String given) {
    try {
      Path real = path.toRealPath();
      if (isPackage(real)) {
        addPackage(real, given);
      } else if (Files.isDirectory(real)) {
        addDirectory(real, given);
      } else {
        add(real, given, null);
      }
    } catch (NoSuchFileException e) {
      addByName(given);
    } catch (IOException e) {
      problems.add(new InputProblem(given, IoReason.of(e)));
    }
  }

  /** Files named as modules are not looked into: there may be thousands, and they are read soon. */
  private static boolean isPackage(Path real) {
    return !ModuleNames.isModuleFile(String.valueOf(real.getFileName()))
        && PackageReader.isPackage(real);
  }

  private void addPackage(Path real, String given) {
    if (!known.add(real)) {
      return;
    }
    int before = problems.size();
    List<ModuleSource> found = PackageModules.read(real, given, problems);
    if (found.isEmpty() && problems.size() == before) {
      problems.add(
          new InputProblem(given, "no files named .ko, .ko.gz, .ko.xz or .ko.zst in the package"));
    }
    modules.addAll(found);
  }

  private void addDirectory(Path real, String given) {
    List<TreeProblem> met = new ArrayList<>();
    TreeWalk walk = new TreeWalk(Root.HOST, Set.of(), met);
    if (identities) {
      walk.withIdentities();
    }
    walk.start(withoutTrailingSlashes(given), real);
    report(met);
    List<ModuleFile> found = walk.found();
    if (found.isEmpty() && met.isEmpty()) {
      problems.add(
          new InputProblem(given, "no files named .ko, .ko.gz, .ko.xz or .ko.zst below it"));
    }
    found.sort(null);
    addAll(found);
  }

  private void addByName(String given) {
    if (given.indexOf('/') >= 0 || given.indexOf('.') >= 0) {
      problems.add(new InputProblem(given, "no such file"));
      return;
    }
    boolean found = false;
    for (ModuleTree tree : trees()) {
      ModuleFile file = tree.chosen(given);
      reportOf(given, tree.problems());
      if (file != null) {
        found = true;
        add(file.host(), file.inside(), file.identity());
      }
    }
    if (!found) {
      String where =
          releases.isEmpty()
              ? ", and " + root + " has no kernel to look for a module of that name in"
              : ", and no module of that name in " + String.join(", ", releases);
      problems.add(new InputProblem(given, "no such file" + where));
    }
  }

  /** What is harmless counts where it is about the module that was asked for. */
  private void reportOf(String name, List<TreeProblem> met) {
    for (TreeProblem problem : met) {
      if (!problem.harmless()
          || Origin.moduleName(problem.subject()).equals(name.replace('-', '_'))) {
        report(List.of(problem));
      }
    }
  }

  private List<ModuleTree> trees() {
    if (trees == null) {
      trees = scanned(releases);
    }
    return trees;
  }

  private List<ModuleTree> scanned(List<String> kernels) {
    List<ModuleTree> scanned = new ArrayList<>();
    for (String release : kernels) {
      try {
        scanned.add(ModuleTree.scan(root, release));
      } catch (IOException e) {
        problems.add(new InputProblem(release, IoReason.of(e)));
      }
    }
    return scanned;
  }

  private void addAll(List<ModuleFile> files) {
    for (ModuleFile file : files) {
      add(file.host(), file.inside(), file.identity());
    }
  }

  private void add(Path real, String display, @Nullable FileIdentity identity) {
    if (known.add(real)) {
      modules.add(new ModuleSource(real, display, identity));
    }
  }

  private void report(List<TreeProblem> met) {
    for (TreeProblem problem : met) {
      InputProblem asInput = new InputProblem(problem.subject(), problem.message());
      // Every kernel of a root reads the same configuration.
      if (!problems.contains(asInput)) {
        problems.add(asInput);
      }
    }
  }

  private static String withoutTrailingSlashes(String path) {
    int end = path.length();
    while (end > 0 && path.charAt(end - 1) == '/') {
      end--;
    }
    return path.substring(0, end);
  }
}
