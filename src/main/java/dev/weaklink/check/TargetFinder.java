package dev.weaklink.check;

import dev.weaklink.check.result.InputProblem;
import dev.weaklink.check.result.TargetKind;
import dev.weaklink.codec.Streams;
import dev.weaklink.source.BuildDirectory;
import dev.weaklink.source.FoundFile;
import dev.weaklink.source.InstalledKernels;
import dev.weaklink.source.KernelFiles;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.Similar;
import dev.weaklink.tree.ModuleTree;
import dev.weaklink.tree.ModulesDirectory;
import dev.weaklink.tree.TreeProblem;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the files of the kernels a request names: the release of one installed in the root, or a
 * path of the caller's: a symvers file, a kernel image, a headers or build directory, a modules
 * directory; else the name of one that was kept in a store.
 */
final class TargetFinder {
  private static final String LIB = "lib";
  private static final String MODULES = "modules";
  private static final int HEAD_SIZE = 512;
  private static final String WHAT_TO_GIVE =
      "give an installed release, a kernel's package, a Module.symvers file, a kernel image or a"
          + " kernel's headers directory";

  /** A removed driver may leave hundreds of dangling links. */
  private static final int MOST_NOTES = 8;

  private final Root root;
  private final StoredTargets store;
  private final List<InputProblem> problems;

  /** Whether one kernel alone is asked for: of many, not all are to be in memory at once. */
  private boolean only;

  TargetFinder(Root root, StoredTargets store, List<InputProblem> problems) {
    this.root = root;
    this.store = store;
    this.problems = problems;
  }

  /** The files of every kernel that could be found, in order; one named twice counts once. */
  List<TargetFiles> find(List<String> kernels) {
    List<TargetFiles> found = new ArrayList<>();
    Set<String> asked = new LinkedHashSet<>(kernels.isEmpty() ? newest() : kernels);
    only = asked.size() == 1;
    PackagedTargets packages = new PackagedTargets(problems);
    int place = 0;
    for (String kernel : asked) {
      if (packages.add(kernel)) {
        continue;
      }
      TargetFiles files = find(kernel);
      if (files != null) {
        found.add(files);
        place += packages.isEmpty() ? 1 : 0;
      }
    }
    // Packages may be parts of one kernel, and stand together where the first was given.
    found.addAll(place, packages.targets());
    return found;
  }

  private List<String> newest() {
    try {
      String newest = InstalledKernels.newest(root);
      if (newest != null) {
        return List.of(newest);
      }
      problem(
          root.top().toString(),
          "no kernel is installed below its lib/modules; name one with --kernel: a Module.symvers"
              + " file, a kernel image or a headers directory");
    } catch (IOException e) {
      problem(root.top().toString(), "its kernels cannot be listed: " + e.getMessage());
    }
    return List.of();
  }

  private @Nullable TargetFiles find(String kernel) {
    if (kernel.isEmpty()) {
      // To NIO an empty path is the current directory.
      problem(kernel, "no kernel has an empty name; " + WHAT_TO_GIVE);
      return null;
    }
    try {
      if (kernel.indexOf('/') < 0 && ModulesDirectory.find(root, kernel) != null) {
        return installed(kernel, kernel, root);
      }
      Path path = Path.of(kernel);
      if (Files.isDirectory(path)) {
        return directory(kernel, path);
      }
      if (Files.exists(path)) {
        return file(kernel, path);
      }
      if (kernel.indexOf('/') < 0 && store.has(kernel)) {
        return store.find(kernel);
      }
      problem(
          kernel,
          kernel.indexOf('/') < 0
              ? "no such kernel in " + root.top() + " and no such file" + installed(kernel)
              : "no such file or directory; " + WHAT_TO_GIVE);
    } catch (IOException | InvalidPathException e) {
      problem(kernel, String.valueOf(e.getMessage()));
    }
    return null;
  }

  private String installed(String kernel) throws IOException {
    List<String> releases = InstalledKernels.list(root);
    return "; installed: "
        + (releases.isEmpty() ? "none; " + WHAT_TO_GIVE : String.join(", ", releases))
        + Similar.question(kernel, releases);
  }

  /** A symvers file is text; what is not is taken for a kernel image. */
  private TargetFiles file(String label, Path file) {
    List<FoundFile> found = List.of(new FoundFile(label, file));
    boolean text = isText(file);
    return new TargetFiles(
        label,
        text ? TargetKind.SYMVERS_FILE : TargetKind.KERNEL_IMAGE,
        null,
        SymversReading.later(text ? found : List.of()),
        List.of(),
        text ? List.of() : found,
        null,
        null,
        null,
        Map.of(),
        List.of());
  }

  /** What cannot be read counts as text: reading it as such will tell what is wrong. */
  private static boolean isText(Path file) {
    try (InputStream in = Streams.open(file)) {
      for (byte b : in.readNBytes(HEAD_SIZE)) {
        if (b >= 0 && b < ' ' && b != '\n' && b != '\r' && b != '\t') {
          return false;
        }
      }
    } catch (IOException e) {
      return true;
    }
    return true;
  }

  /** A directory of the caller's: one of modules below lib/modules, or one to build with. */
  private @Nullable TargetFiles directory(String label, Path path) throws IOException {
    BuildDirectory build = KernelFiles.ofDirectory(path);
    if (build.symvers() != null) {
      return headers(label, path, build, build.symvers());
    }
    Path real = path.toRealPath();
    Path parent = real.getParent();
    Path top = parent == null ? null : parent.getParent();
    if (parent != null
        && top != null
        && MODULES.equals(String.valueOf(parent.getFileName()))
        && LIB.equals(String.valueOf(top.getFileName()))) {
      return installed(label, String.valueOf(real.getFileName()), Root.of(above(top)));
    }
    problem(
        label,
        "no Module.symvers in it, and it is no directory below lib/modules; " + WHAT_TO_GIVE);
    return null;
  }

  private static TargetFiles headers(
      String label, Path directory, BuildDirectory build, Path symvers) {
    Path config = build.config();
    return new TargetFiles(
        label,
        TargetKind.HEADERS_DIRECTORY,
        build.release(),
        SymversReading.later(List.of(below(label, directory, symvers))),
        List.of(),
        List.of(),
        config == null ? null : below(label, directory, config),
        null,
        null,
        Map.of(),
        List.of());
  }

  private static FoundFile below(String label, Path directory, Path file) {
    return new FoundFile(
        label + (label.endsWith("/") ? "" : "/") + directory.relativize(file), file);
  }

  private static Path above(Path lib) {
    Path parent = lib.getParent();
    Path top = parent == null ? lib : parent;
    boolean usr = "usr".equals(String.valueOf(top.getFileName()));
    Path aboveUsr = top.getParent();
    return usr && aboveUsr != null ? aboveUsr : top;
  }

  private TargetFiles installed(String label, String release, Root where) throws IOException {
    KernelFiles files = KernelFiles.locate(where, release);
    SymversReading symvers =
        only ? SymversReading.start(files.symvers()) : SymversReading.later(files.symvers());
    ModuleTree tree = ModuleTree.scan(where, release);
    List<String> notes = new ArrayList<>();
    report(tree.problems(), notes);
    for (dev.weaklink.source.InputProblem leftOut : files.problems()) {
      notes.add(leftOut.subject() + " " + leftOut.message());
    }
    return new TargetFiles(
        label,
        TargetKind.INSTALLED_KERNEL,
        release,
        symvers,
        files.ofedSymvers(),
        files.images(),
        files.configs().isEmpty() ? null : files.configs().get(0),
        files.builtinModinfo(),
        tree,
        Map.of(),
        notes);
  }

  /** What is no loss to the kernel does not make its verdicts uncertain. */
  private void report(List<TreeProblem> met, List<String> notes) {
    int harmless = 0;
    for (TreeProblem problem : met) {
      if (!problem.harmless()) {
        problem(problem.subject(), problem.message());
      } else if (harmless++ < MOST_NOTES) {
        notes.add(problem.subject() + ": " + problem.message());
      }
    }
    if (harmless > MOST_NOTES) {
      notes.add("and " + (harmless - MOST_NOTES) + " more that depmod passes over, too");
    }
  }

  private void problem(String subject, String message) {
    problems.add(new InputProblem(subject, message));
  }
}
