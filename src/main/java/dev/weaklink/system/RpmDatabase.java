package dev.weaklink.system;

import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The database of installed packages of a root, read by rpm(8).
 *
 * <p>Even a query writes beside the database (the shared memory of SQLite, the locks of Berkeley
 * DB), so that of an image is copied first; and rpm would look up paths in the running system, so
 * that an image is never asked about paths.
 */
public final class RpmDatabase {
  /** Where SUSE and Fedora have it now, where everybody had it, and where ostree has it. */
  private static final List<String> PLACES =
      List.of("/usr/lib/sysimage/rpm", "/var/lib/rpm", "/usr/share/rpm");

  /** The file with the packages in SQLite, ndb and Berkeley DB. */
  private static final List<String> KINDS = List.of("rpmdb.sqlite", "Packages.db", "Packages");

  private final Root root;
  private final Path directory;

  private RpmDatabase(Root root, Path directory) {
    this.root = root;
    this.directory = directory;
  }

  /**
   * The database of a root, null if it has none.
   *
   * @throws IOException if there may be one in a place that cannot be reached inside the root
   */
  public static @Nullable RpmDatabase find(Root root) throws IOException {
    IOException unreachable = null;
    for (String place : PLACES) {
      try {
        Path directory = root.resolve(place);
        for (String kind : KINDS) {
          if (Files.isRegularFile(directory.resolve(kind))) {
            return new RpmDatabase(root, directory);
          }
        }
      } catch (IOException e) {
        unreachable = new IOException(place + " cannot be reached: " + IoReason.of(e), e);
      }
    }
    if (unreachable != null) {
      throw unreachable;
    }
    return null;
  }

  /**
   * The packages that own these files.
   *
   * @param files absolute paths as seen from inside the root
   * @return names of packages without their versions, by path; what no package owns is left out
   * @throws IOException if rpm is missing or cannot read the database
   */
  public Map<String, String> owners(Collection<String> files) throws IOException {
    if (files.isEmpty()) {
      return Map.of();
    }
    if (root.isHost()) {
      RpmQuery query = new RpmQuery(null);
      return owners(files, query, query.packagesOf(files));
    }
    try (DatabaseCopy copy = copy()) {
      RpmQuery query = new RpmQuery(copy.directory());
      return owners(files, query, query.packagesIn(directories(files)));
    }
  }

  /** Where it is, as a path of the host. */
  public Path directory() {
    return directory;
  }

  /** A copy that rpm can be let at. */
  public DatabaseCopy copy() throws IOException {
    return DatabaseCopy.of(directory);
  }

  /**
   * The packages that own these files, which need not be modules.
   *
   * @param files absolute paths as seen from inside the root
   * @return names and versions of packages, for example {@code libibverbs 51.0-1.el9}, by path
   * @throws IOException if rpm is missing or cannot read the database
   */
  public Map<String, String> libraryOwners(Collection<String> files) throws IOException {
    Set<String> names = new TreeSet<>();
    for (String file : files) {
      names.add(file.substring(file.lastIndexOf('/') + 1));
    }
    if (root.isHost()) {
      return owners(files, new RpmQuery(null).filesNamed(names));
    }
    try (DatabaseCopy copy = copy()) {
      return owners(files, new RpmQuery(copy.directory()).filesNamed(names));
    }
  }

  private static Map<String, String> owners(
      Collection<String> files, RpmQuery query, Set<String> packages) throws IOException {
    return owners(files, query.files(packages));
  }

  private static Map<String, String> owners(
      Collection<String> files, List<RpmQuery.Owned> candidates) {
    Map<String, String> wanted = new HashMap<>();
    for (String file : files) {
      wanted.put(merged(file), file);
    }
    Map<String, String> owners = new HashMap<>();
    for (RpmQuery.Owned owned : candidates) {
      String file = wanted.get(merged(owned.path()));
      if (file != null) {
        owners.putIfAbsent(file, owned.name());
      }
    }
    return owners;
  }

  private static Set<String> directories(Collection<String> files) {
    Set<String> directories = new HashSet<>();
    for (String file : files) {
      directories.add(merged(file.substring(0, file.lastIndexOf('/') + 1)));
    }
    return directories;
  }

  /** Packages say {@code /lib/modules} or {@code /usr/lib/modules} for the same directory. */
  static String merged(String path) {
    return path.startsWith("/usr/lib/") ? path.substring("/usr".length()) : path;
  }

  /** Names in order, each once. */
  static List<String> sorted(Collection<String> names) {
    return new ArrayList<>(new TreeSet<>(names));
  }
}
