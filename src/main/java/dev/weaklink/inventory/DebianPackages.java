package dev.weaklink.inventory;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The packages dpkg knows, by its files (dpkg-query(1)). */
final class DebianPackages {
  /** Ten times that of a system with everything. */
  private static final long LONGEST_STATUS = 256L << 20;

  private static final String LIST = ".list";

  private final Set<String> owners;
  private final Map<InstalledPackage, Boolean> packages;
  private @Nullable String name;
  private String version = "";
  private String arch = "";
  private boolean installed;

  private DebianPackages(Set<String> owners, Map<InstalledPackage, Boolean> packages) {
    this.owners = owners;
    this.packages = packages;
  }

  /**
   * Adds all that are installed.
   *
   * @param packages takes each with whether it owns modules that were added to a kernel
   */
  static void addTo(Map<InstalledPackage, Boolean> packages, ImageFiles files) {
    Path info = files.directory("/var/lib/dpkg/info");
    Path status = files.file(Path.of("/var/lib/dpkg/status"));
    if (info == null || status == null) {
      return;
    }
    DebianPackages reader = new DebianPackages(owners(info), packages);
    for (String line : ImageFiles.lines(status, LONGEST_STATUS)) {
      reader.take(line);
    }
    reader.finish();
  }

  private void take(String line) {
    if (line.isEmpty()) {
      finish();
    } else if (line.startsWith("Package: ")) {
      name = word(line);
    } else if (line.startsWith("Version: ")) {
      version = word(line);
    } else if (line.startsWith("Architecture: ")) {
      arch = word(line);
    } else if (line.startsWith("Status: ")) {
      installed = line.stripTrailing().endsWith(" installed");
    }
  }

  private void finish() {
    if (installed && name != null) {
      boolean owns = owners.contains(name) || owners.contains(name + ":" + arch);
      packages.merge(new InstalledPackage("deb", name, version, arch), owns, Boolean::logicalOr);
    }
    name = null;
    version = "";
    arch = "";
    installed = false;
  }

  /** The second word of a line. */
  private static String word(String line) {
    String value = line.substring(line.indexOf(' ')).strip();
    int end = 0;
    while (end < value.length() && value.charAt(end) > ' ') {
      end++;
    }
    return value.substring(0, end);
  }

  /** Names of packages, some with their architecture, that have a file where modules are added. */
  private static Set<String> owners(Path info) {
    Set<String> owners = new HashSet<>();
    for (Path entry : ImageFiles.names(info)) {
      String file = PathBytes.of(entry);
      Path list = info.resolve(entry);
      if (file.endsWith(LIST)
          && Files.isRegularFile(list, LinkOption.NOFOLLOW_LINKS)
          && hasModules(list)) {
        owners.add(file.substring(0, file.length() - LIST.length()));
      }
    }
    return owners;
  }

  private static boolean hasModules(Path list) {
    try (BufferedReader lines = Files.newBufferedReader(list, StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (isPlaceOfAdded(line)) {
          return true;
        }
      }
    } catch (IOException e) {
      return false;
    }
    return false;
  }

  private static boolean isPlaceOfAdded(String path) {
    String below = path.startsWith("/usr/") ? path.substring("/usr".length()) : path;
    String modules = "/lib/modules/";
    if (!below.startsWith(modules)) {
      return false;
    }
    int end = below.indexOf('/', modules.length());
    return end > modules.length()
        && (below.startsWith("/extra/", end) || below.startsWith("/updates/", end));
  }
}
