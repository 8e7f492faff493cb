package dev.weaklink.source;

import dev.weaklink.cache.PackageFacts;
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
    for (PackageFacts.Entry entry : facts.entries()) {
      KernelPath place = KernelPath.of(entry.path());
      if (place != null) {
        add(file, given, place, entry);
      }
    }
    GivenPackages.report(facts, given, problems);
  }

  private void add(Path file, String given, KernelPath place, PackageFacts.Entry entry) {
    PackagedKernelParts parts =
        kernels.computeIfAbsent(
            new Key(place.release(), entry.owner().version()),
            key -> new PackagedKernelParts(place.release()));
    parts.addOwner(entry.owner());
    if (entry.module() != null) {
      parts.addModule(given, file, entry.path(), entry.module());
    } else {
      String name = given + "!" + entry.member();
      parts.addFile(given, place, new FoundFile(name, file, entry.bytes()));
    }
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
    List<PackagedKernelParts> found = new ArrayList<>();
    for (PackagedKernelParts parts : kernels.values()) {
      if (parts.isKernel()) {
        found.add(parts);
      }
    }
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
