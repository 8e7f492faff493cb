package dev.weaklink.system;

import dev.weaklink.format.archive.PackageInfo;
import dev.weaklink.module.PackagedModule;
import dev.weaklink.sys.InputProblem;
import dev.weaklink.system.cache.PackageFacts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts kernels together from packages: an image and its headers, or a core and its modules, are one
 * kernel if they agree on the release and are packages of the same version.
 */
public final class PackagedKernels {
  private final GivenPackages packages;
  private final List<InputProblem> problems;
  private final Map<Key, PackagedKernelParts> kernels = new LinkedHashMap<>();

  private record Key(String release, String version) {}

  /** What is wrong with packages goes to {@code problems}. */
  public PackagedKernels(GivenPackages packages, List<InputProblem> problems) {
    this.packages = packages;
    this.problems = problems;
  }

  /** Takes what is in a package. */
  public void add(Path file, String given) {
    PackageFacts facts = packages.read(file, given);
    for (PackagedModule module : facts.modules()) {
      KernelPath place = KernelPath.of(module.path());
      if (place != null) {
        parts(place, module.info()).addModule(given, file, module.path(), module);
      }
    }
    for (PackageFacts.KernelFile met : facts.files()) {
      KernelPath place = KernelPath.of(met.path());
      if (place != null) {
        FoundFile found = new FoundFile(given + "!" + met.member(), file, met.bytes());
        parts(place, met.info()).addFile(given, place, found);
      }
    }
    GivenPackages.report(facts, given, problems);
  }

  private PackagedKernelParts parts(KernelPath place, PackageInfo info) {
    PackagedKernelParts parts =
        kernels.computeIfAbsent(
            new Key(place.release(), info.version()),
            key -> new PackagedKernelParts(place.release()));
    parts.addOwner(info);
    return parts;
  }

  /** Those of these packages, as given, that have no part of a kernel. */
  public List<String> unused(List<String> packages) {
    List<String> unused = new ArrayList<>(packages);
    for (PackagedKernelParts parts : kernels.values()) {
      if (parts.isKernel()) {
        unused.removeAll(parts.packages());
      }
    }
    return unused;
  }

  /** The kernels found so far, in the order their packages were given. */
  public List<KernelFiles> kernels() {
    List<PackagedKernelParts> found = new ArrayList<>(kernels.values());
    found.removeIf(parts -> !parts.isKernel());
    List<KernelFiles> all = new ArrayList<>(found.size());
    for (PackagedKernelParts parts : found) {
      all.add(parts.kernel(isOnlyOneOfItsPackage(parts, found)));
    }
    return all;
  }

  private static boolean isOnlyOneOfItsPackage(
      PackagedKernelParts parts, List<PackagedKernelParts> all) {
    for (PackagedKernelParts other : all) {
      if (other != parts && other.firstPackage().equals(parts.firstPackage())) {
        return false;
      }
    }
    return true;
  }
}
