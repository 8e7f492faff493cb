package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Hold;
import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Root;
import dev.weaklink.system.offers.OfferedPackage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The file of ours by which apt passes over packages: apt_preferences(5). */
final class AptPins {
  private static final String DIRECTORY = "/etc/apt/preferences.d";
  static final String FILE = DIRECTORY + "/weaklink-hold.pref";

  /** Debian policy 5.6.7; nothing in it is a pattern to apt. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9+.-]*");

  private AptPins() {}

  /** What holds these packages; empty for none. */
  static String text(Hold hold) {
    Map<String, List<String>> byVersion = new TreeMap<>();
    for (OfferedPackage one : hold.packages()) {
      if (NAME.matcher(one.name()).matches()) {
        List<String> names = byVersion.computeIfAbsent(one.version(), version -> new ArrayList<>());
        if (!names.contains(one.name())) {
          names.add(one.name());
        }
      }
    }
    StringBuilder text = new StringBuilder();
    byVersion.forEach(
        (version, names) ->
            text.append(text.isEmpty() ? "" : "\n")
                .append(
                    "Explanation: made by 'weaklink hold' at each 'apt update', which says why;")
                .append(" 'weaklink hold --off' removes it\n")
                .append("Package: " + String.join(" ", names) + "\n")
                .append("Pin: version " + version + "\n")
                .append("Pin-Priority: -1\n"));
    return text.toString();
  }

  /** Writes it, or removes it where nothing is held; the file is whole at any moment. */
  static void write(Root root, Hold hold) throws IOException {
    String text = text(hold);
    Path file = root.resolve(FILE);
    if (text.isEmpty()) {
      remove(root);
    } else {
      DurableFiles.createDirectories(root.resolve(DIRECTORY));
      // apt reads no file whose name ends in .new
      DurableFiles.replace(file, text.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Whether it was there. */
  static boolean remove(Root root) throws IOException {
    Path file = root.resolve(FILE);
    boolean was = Files.deleteIfExists(file);
    DurableFiles.deleteTree(file.resolveSibling(file.getFileName() + ".new"));
    return was;
  }
}
