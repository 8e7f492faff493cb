package dev.weaklink.compat;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.ModuleNames;
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
  private static final int MAX_SIZE = 1 << 20;

  private final RootText text;
  private final Set<String> names = new TreeSet<>();

  private DracutDrivers(RootText text) {
    this.text = text;
  }

  /** Their names; of files that cannot be read, none. */
  static Set<String> of(Root root) {
    DracutDrivers drivers = new DracutDrivers(new RootText(root));
    drivers.file("/etc/dracut.conf");
    for (String directory : DIRECTORIES) {
      for (String name : drivers.text.names(directory)) {
        if (name.endsWith(".conf")) {
          drivers.file(directory + "/" + name);
        }
      }
    }
    return drivers.names;
  }

  private void file(String inside) {
    for (String line : text.read(inside, MAX_SIZE).split("\n", -1)) {
      line(line.strip());
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
