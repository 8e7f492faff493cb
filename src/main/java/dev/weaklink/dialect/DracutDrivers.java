package dev.weaklink.dialect;

import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModuleNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/**
 * The modules that dracut.conf(5) puts into every image. The files are shell; they are read as
 * text, line by line, and nothing of them is run.
 */
final class DracutDrivers {
  private static final String[] DIRECTORIES = {
    "/etc/dracut.conf.d", "/usr/lib/dracut/dracut.conf.d"
  };
  private static final String[] SETTINGS = {"add_drivers+=", "force_drivers+="};
  private static final long MAX_SIZE = 1 << 20;

  private final Root root;
  private final Set<String> names = new TreeSet<>();

  private DracutDrivers(Root root) {
    this.root = root;
  }

  /** Their names; of files that cannot be read, none. */
  static Set<String> of(Root root) {
    DracutDrivers drivers = new DracutDrivers(root);
    drivers.file("/etc/dracut.conf");
    for (String directory : DIRECTORIES) {
      drivers.directory(directory);
    }
    return drivers.names;
  }

  private void directory(String inside) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(root.resolve(inside), "*.conf")) {
      for (Path file : files) {
        file(inside + "/" + file.getFileName());
      }
    } catch (IOException | DirectoryIteratorException e) {
      // no such directory: no such setting
    }
  }

  private void file(String inside) {
    try {
      Path file = root.resolve(inside);
      if (Files.isRegularFile(file) && Files.size(file) <= MAX_SIZE) {
        String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        for (String line : text.split("\n", -1)) {
          line(line.strip());
        }
      }
    } catch (IOException e) {
      // as if it were not there
    }
  }

  private void line(String line) {
    for (String setting : SETTINGS) {
      if (line.startsWith(setting)) {
        String value = line.substring(setting.length()).replace('"', ' ').replace('\'', ' ');
        for (String name : value.split(" ", -1)) {
          if (!name.isBlank()) {
            names.add(ModuleNames.ofFile(name.strip()));
          }
        }
      }
    }
  }
}
