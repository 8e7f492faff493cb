package dev.weaklink.check;

import dev.weaklink.format.archive.PackageReader;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.GivenPackages;
import dev.weaklink.system.KernelFiles;
import dev.weaklink.system.PackagedKernels;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The targets among the packages that a request names as kernels. */
final class PackagedTargets {
  private final GivenPackages read;
  private final List<InputProblem> problems;
  private final List<InputProblem> met = new ArrayList<>();
  private @Nullable PackagedKernels kernels;
  private final List<String> packages = new ArrayList<>();

  PackagedTargets(GivenPackages read, List<InputProblem> problems) {
    this.read = read;
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
      kernels = new PackagedKernels(read, met);
    }
    kernels.add(file, given);
    return true;
  }

  boolean isEmpty() {
    return packages.isEmpty();
  }

  List<KernelReading> targets() {
    List<KernelReading> targets = new ArrayList<>();
    if (kernels == null) {
      return targets;
    }
    for (KernelFiles kernel : kernels.kernels()) {
      targets.add(KernelReading.later(kernel));
    }
    problems.addAll(met);
    for (String given : kernels.unused(packages)) {
      problems.add(
          new InputProblem(
              given,
              "no kernel in it: neither image nor symvers file nor modules below lib/modules/*/kernel;"
                  + " give the kernel's image, modules or headers package"));
    }
    return targets;
  }
}
