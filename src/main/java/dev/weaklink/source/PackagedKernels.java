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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts kernels together from packages: an image and its headers, or a core and its modules, are one
 * kernel if they agree on the release and are packages of the same version.
 */
public final class PackagedKernels {
  /** Of all files that are no modules, as stored: images have up to 50 MiB, symvers files a few. */
  private static final long MAX_HELD = 256L << 20;

  private final List<InputProblem> problems;
  private final Map<Key, PackagedKernelParts> kernels = new LinkedHashMap<>();

  private long held;

  private record Key(String release, String version) {}

  /** What is wrong with packages goes to {@code problems}. */
  public PackagedKernels(List<InputProblem> problems) {
    this.problems = problems;
  }

  /** Goes through a package. */
  public void add(Path file, String given) {
    try (PackageFile open = PackageReader.open(file, PackageLimits.DEFAULT)) {
      open.forEach(new Visitor(file, given));
    } catch (UnreadablePackageException e) {
      problems.add(new InputProblem(given, e.reason()));
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

  private final class Visitor implements EntryVisitor {
    private final Path file;
    private final String given;
    private final EntryModuleReader reader;

    Visitor(Path file, String given) {
      this.file = file;
      this.given = given;
      this.reader = EntryModuleReader.ofKernel(given);
    }

    @Override
    public boolean wants(String path) {
      return KernelPath.of(path) != null;
    }

    @Override
    public void visit(PackageEntry entry) throws IOException {
      KernelPath place = KernelPath.of(entry.path());
      if (place == null || entry.type() != EntryType.FILE) {
        return;
      }
      PackagedKernelParts parts =
          kernels.computeIfAbsent(
              new Key(place.release(), entry.owner().version()),
              key -> new PackagedKernelParts(place.release()));
      parts.addOwner(entry.owner());
      if (place.role() == KernelFiles.Role.MODULE) {
        parts.addModule(given, file, entry.path(), reader.read(entry));
      } else {
        addFile(parts, place, entry);
      }
    }

    private void addFile(PackagedKernelParts parts, KernelPath place, PackageEntry entry)
        throws IOException {
      if (entry.size() > MAX_HELD - held) {
        problem(entry.member(), "more than " + MAX_HELD + " bytes of such files; left out");
        return;
      }
      byte[] bytes = entry.contents().readNBytes((int) entry.size());
      held += bytes.length;
      FoundFile found = new FoundFile(given + "!" + entry.member(), file, new HeldBytes(bytes));
      parts.addFile(given, place, found);
    }

    @Override
    public void problem(String subject, String message) {
      problems.add(new InputProblem(subject.isEmpty() ? given : given + "!" + subject, message));
    }
  }
}
