package dev.weaklink.check;

import dev.weaklink.archive.PackageReader;
import dev.weaklink.check.result.InputProblem;
import dev.weaklink.check.result.TargetKind;
import dev.weaklink.source.PackagedKernel;
import dev.weaklink.source.PackagedKernels;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The targets among the packages that a request names as kernels. */
final class PackagedTargets {
  private final List<InputProblem> problems;
  private final List<dev.weaklink.source.InputProblem> met = new ArrayList<>();
  private @Nullable PackagedKernels kernels;
  private final List<String> packages = new ArrayList<>();

  PackagedTargets(List<InputProblem> problems) {
    this.problems = problems;
  }

  /** Takes a package; false if the name is none of a package. */
  boolean add(String given) {
    Path file;
    try {
      file = Path.of(given);
    } catch (InvalidPathException e) {
      return false;
    }
    // Most names are releases: the classes that read packages are not even loaded for them.
    if (given.isEmpty() || !Files.exists(file) || !PackageReader.isPackage(file)) {
      return false;
    }
    packages.add(given);
    if (kernels == null) {
      kernels = new PackagedKernels(met);
    }
    kernels.add(file, given);
    return true;
  }

  boolean isEmpty() {
    return packages.isEmpty();
  }

  List<TargetFiles> targets() {
    List<TargetFiles> targets = new ArrayList<>();
    if (kernels == null) {
      return targets;
    }
    List<String> unused = new ArrayList<>(packages);
    for (PackagedKernel kernel : kernels.kernels()) {
      unused.removeAll(kernel.packages());
      targets.add(target(kernel));
    }
    for (dev.weaklink.source.InputProblem problem : met) {
      problems.add(new InputProblem(problem.subject(), problem.message()));
    }
    for (String given : unused) {
      problems.add(
          new InputProblem(
              given,
              "no kernel in it: neither image nor symvers file nor modules below lib/modules/*/kernel;"
                  + " give the kernel's image, modules or headers package"));
    }
    return targets;
  }

  private static TargetFiles target(PackagedKernel kernel) {
    List<String> notes = new ArrayList<>();
    if (!kernel.owners().isEmpty()) {
      notes.add("from " + String.join(", ", kernel.owners()));
    }
    for (String other : kernel.packages().subList(1, kernel.packages().size())) {
      notes.add("together with " + other);
    }
    return new TargetFiles(
        kernel.label(),
        TargetKind.PACKAGE,
        kernel.release(),
        SymversReading.later(kernel.symvers()),
        List.of(),
        kernel.images(),
        kernel.config(),
        kernel.builtInInfo(),
        kernel.tree(),
        kernel.modules(),
        notes);
  }
}
