package dev.weaklink.check.userspace;

import dev.weaklink.sys.RootText;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** The .driver files, read as libibverbs/dynamic_driver.c:read_config_file does. */
record DriverFiles(TreeMap<String, String> drivers, List<UserspaceFinding> problems) {
  private static final int LIMIT = 64 << 10;
  private static final int MOST = 1000;

  /**
   * Reads a directory of them.
   *
   * @return the drivers with the file that names each
   */
  static DriverFiles read(String directory, RootText text) {
    DriverFiles files = new DriverFiles(new TreeMap<>(), new ArrayList<>());
    for (String name : text.names(directory)) {
      String file = directory + "/" + name;
      for (String line : text.read(file, LIMIT).split("\n", -1)) {
        files.line(line.replaceFirst("^[\t ]+", ""), file);
      }
    }
    return files;
  }

  private void line(String line, String file) {
    if (line.isEmpty() || line.startsWith("#") || drivers.size() + problems.size() >= MOST) {
      return;
    }
    String[] words = line.split("[\t ]+", 3);
    if (words.length > 1 && words[0].equals("driver") && !words[1].isEmpty()) {
      drivers.putIfAbsent(words[1], file);
    } else {
      problems.add(
          UserspaceFinding.of(
              UserspaceFinding.Kind.CONFIGURATION,
              file,
              "bad config directive '" + words[0] + "' is ignored",
              List.of(file)));
    }
  }
}
