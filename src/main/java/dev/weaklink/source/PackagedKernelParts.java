package dev.weaklink.source;

import dev.weaklink.archive.PackageInfo;
import dev.weaklink.tree.ModuleFile;
import dev.weaklink.tree.ModuleNames;
import dev.weaklink.tree.ModuleTree;
import dev.weaklink.tree.ModulesDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Collects what packages have of one kernel. Something met again replaces what was met before. */
final class PackagedKernelParts {
  private final String release;
  private final Set<String> packages = new LinkedHashSet<>();
  private final Set<String> owners = new LinkedHashSet<>();
  private final Map<String, ModuleFile> files = new TreeMap<>();
  private final Map<String, PackagedModule> modules = new TreeMap<>();
  private final Map<String, Part> parts = new TreeMap<>();

  private record Part(KernelPath place, FoundFile file) {}

  PackagedKernelParts(String release) {
    this.release = release;
  }

  /** Takes note of a package that had something of it. */
  void addOwner(PackageInfo owner) {
    if (!owner.name().isEmpty()) {
      owners.add(owner.name() + " " + owner.version() + " (" + owner.kind().id() + ")");
    }
  }

  /** Takes a module; the same below /usr/lib and /lib is the same. */
  void addModule(String given, Path host, String path, PackagedModule module) {
    packages.add(given);
    String inside = path.startsWith("/usr/") ? path.substring("/usr".length()) : path;
    String name = ModuleNames.ofFile(inside.substring(inside.lastIndexOf('/') + 1));
    files.put(inside, new ModuleFile(name, inside, host));
    modules.put(inside, module);
  }

  /** Takes another file. */
  void addFile(String given, KernelPath place, FoundFile file) {
    packages.add(given);
    parts.put(file.inside(), new Part(place, file));
  }

  /** Whether these are a kernel's, and not modules that were built for one. */
  boolean isKernel() {
    if (!parts.isEmpty()) {
      return true;
    }
    for (String path : files.keySet()) {
      if (path.startsWith("/lib/modules/" + release + "/kernel/")) {
        return true;
      }
    }
    return false;
  }

  /** The package, as given, that had the first of it. */
  String firstPackage() {
    return packages.iterator().next();
  }

  /** The kernel; {@code only} if its first package has no other one. */
  PackagedKernel kernel(boolean only) {
    String first = firstPackage();
    return new PackagedKernel(
        release,
        only ? first : first + "!" + release,
        List.copyOf(packages),
        List.copyOf(owners),
        all(KernelPath.Role.SYMVERS),
        all(KernelPath.Role.IMAGE),
        first(KernelPath.Role.CONFIG),
        first(KernelPath.Role.BUILTIN_INFO),
        files.isEmpty() ? null : tree(),
        modules);
  }

  private ModuleTree tree() {
    List<ModuleFile> all = new ArrayList<>(files.values());
    Path host = all.get(0).host();
    return ModuleTree.of(new ModulesDirectory("/lib/modules/" + release, host), all);
  }

  private List<FoundFile> all(KernelPath.Role role) {
    List<Part> ofRole = new ArrayList<>();
    for (Part part : parts.values()) {
      if (part.place().role() == role) {
        ofRole.add(part);
      }
    }
    ofRole.sort((a, b) -> Integer.compare(a.place().rank(), b.place().rank()));
    List<FoundFile> found = new ArrayList<>(ofRole.size());
    for (Part part : ofRole) {
      found.add(part.file());
    }
    return found;
  }

  private @Nullable FoundFile first(KernelPath.Role role) {
    List<FoundFile> all = all(role);
    return all.isEmpty() ? null : all.get(0);
  }
}
