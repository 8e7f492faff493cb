package dev.weaklink.inventory;

import dev.weaklink.rpmdb.RpmDatabase;
import dev.weaklink.rpmdb.RpmPackage;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Workers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Tells what a root has as one line of JSON, schema {@code weaklink.node/1}: the bytes that {@code
 * weaklink-collect} prints of it on a system with all tools. The two differ in this: packages of an
 * RPM image are told here; and modules that the other's kmod cannot unpack, or makes sense of
 * though they are damaged.
 */
public final class InventoryCollector {
  /** Of more files than this, the script tells no digests of tables unless it is asked to. */
  private static final int MOST_TABLES = 300;

  private final InventoryRequest request;
  private final ImageFiles files;
  private final Problems problems = new Problems();

  private InventoryCollector(InventoryRequest request) {
    this.request = request;
    this.files = new ImageFiles(request.root());
  }

  /** The line, with its line feed. What cannot be read is among its problems. */
  public static byte[] collect(InventoryRequest request) {
    String line = new InventoryCollector(request).line();
    return line.getBytes(StandardCharsets.ISO_8859_1);
  }

  private String line() {
    NodeState state = new NodeState(files);
    List<KernelDirectory> kernels = new ArrayList<>();
    List<AddedModule> modules = new ArrayList<>();
    UsedModules used = new UsedModules(files);
    findModules(kernels, modules, used);
    Map<Path, FileFacts> facts = read(modules);
    NodeJson json = new NodeJson(problems, leavesCrcsOut(facts.values()));
    json.head(name(state), state);
    json.kernels(kernels);
    json.modules(modules, used, facts);
    json.loaded(state.loaded(), modules);
    json.dkms(DkmsBuild.all(files));
    json.ofed(OfedVersion.of(files));
    json.packages(packages(modules));
    if (request.withTables()) {
      json.tables(facts.values());
    }
    return json.finish();
  }

  private @Nullable String name(NodeState state) {
    if (request.nameless()) {
      return null;
    }
    String name = request.name();
    return name == null
        ? state.hostName()
        : new String(name.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
  }

  private void findModules(
      List<KernelDirectory> kernels, List<AddedModule> modules, UsedModules used) {
    for (KernelDirectory kernel : KernelDirectory.all(files)) {
      Problems troubles = new Problems();
      List<AddedModule> found = AddedModules.of(files, kernel, troubles);
      if (kernel.installed() || !found.isEmpty() || !troubles.isEmpty()) {
        kernels.add(kernel);
        modules.addAll(found);
        problems.addAll(troubles);
        used.read(kernel);
      }
    }
  }

  /** The facts of each file that can be read; links to one file share them. */
  private Map<Path, FileFacts> read(List<AddedModule> modules) {
    TreeSet<Path> distinct = new TreeSet<>();
    for (AddedModule module : modules) {
      if (module.host() != null) {
        distinct.add(module.host());
      }
    }
    List<Path> hosts = List.copyOf(distinct);
    @Nullable FileFacts[] read = new FileFacts[hosts.size()];
    Workers.start(
            hosts.size(),
            request.jobs(),
            () -> {
              FileReader reader = new FileReader(request.withTables());
              return i -> read[i] = reader.read(hosts.get(i));
            })
        .finish();
    Map<Path, FileFacts> facts = new TreeMap<>();
    for (int i = 0; i < read.length; i++) {
      FileFacts found = read[i];
      if (found != null) {
        facts.put(hosts.get(i), found);
      }
    }
    return facts;
  }

  private boolean leavesCrcsOut(Collection<FileFacts> facts) {
    if (request.withTables()) {
      return false;
    }
    Set<String> digests = new HashSet<>();
    for (FileFacts file : facts) {
      digests.add(file.digest());
    }
    return digests.size() > MOST_TABLES;
  }

  /** Those that bring modules or belong to a product that does, sorted. */
  private List<InstalledPackage> packages(List<AddedModule> modules) {
    Map<InstalledPackage, Boolean> found =
        new TreeMap<>(Comparator.comparing(InstalledPackage::key));
    DebianPackages.addTo(found, files);
    addRpms(found, modules);
    List<InstalledPackage> wanted = new ArrayList<>();
    found.forEach(
        (installed, owns) -> {
          if (owns || installed.isOfProduct()) {
            wanted.add(installed);
          }
        });
    return wanted;
  }

  private @Nullable RpmDatabase rpms() {
    try {
      return RpmDatabase.find(request.root());
    } catch (IOException e) {
      problems.add(PathBytes.of(Path.of("/")), "packages cannot be read: " + IoReason.of(e));
      return null;
    }
  }

  private void addRpms(Map<InstalledPackage, Boolean> found, List<AddedModule> modules) {
    RpmDatabase database = rpms();
    if (database == null) {
      return;
    }
    TreeSet<String> paths = new TreeSet<>();
    for (AddedModule module : modules) {
      if (module.host() != null) {
        paths.add(files.inside(module.host()).toString());
      }
    }
    try {
      for (RpmPackage rpm : database.packages(paths)) {
        found.merge(
            new InstalledPackage("rpm", rpm.name(), rpm.version(), rpm.arch()),
            rpm.owns(),
            Boolean::logicalOr);
      }
    } catch (IOException e) {
      String reason = "packages cannot be read: " + IoReason.of(e);
      problems.add(PathBytes.of(files.inside(database.directory())), reason);
    }
  }
}
