package dev.weaklink.system;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads a dkms.conf, which is a script that dkms runs in bash. It is not run here: only assignments
 * of plain words count, with the package's name and version put in.
 */
final class DkmsConf {
  private static final String ARRAY = "(";

  private final String name;
  private final String version;

  /** Values by directive, those of an array together. */
  private final Map<String, List<String>> values = new LinkedHashMap<>();

  private DkmsConf(String name, String version) {
    this.name = name;
    this.version = version;
  }

  /** The package of that name and version with this dkms.conf. */
  static DkmsPackage read(String name, String version, String text) {
    DkmsConf conf = new DkmsConf(name, version);
    for (String line : text.split("\n", -1)) {
      conf.add(line.strip());
    }
    // As dkms does: any value counts as yes.
    boolean autoinstall = !conf.words("AUTOINSTALL").isEmpty();
    Set<String> modules = new TreeSet<>();
    for (String module : conf.words("BUILT_MODULE_NAME")) {
      modules.add(ModuleNames.normalized(module));
    }
    if (!conf.values.containsKey("BUILT_MODULE_NAME")) {
      modules.add(ModuleNames.normalized(name));
    }
    return new DkmsPackage(
        name, version, autoinstall, conf.words("BUILD_DEPENDS"), new ArrayList<>(modules));
  }

  private void add(String line) {
    int equals = line.indexOf('=');
    if (equals < 1 || line.startsWith("#")) {
      return;
    }
    String key = line.substring(0, equals);
    boolean more = key.endsWith("+");
    key = more ? key.substring(0, key.length() - 1) : key;
    int bracket = key.indexOf('[');
    more |= bracket > 0;
    key = bracket > 0 ? key.substring(0, bracket) : key;
    List<String> known = more ? values.getOrDefault(key, List.of()) : List.of();
    List<String> all = new ArrayList<>(known);
    all.add(plain(line.substring(equals + 1)));
    values.put(key, all);
  }

  /** Without quotes and a comment behind it. */
  private static String plain(String value) {
    if (value.startsWith(ARRAY)) {
      int end = value.indexOf(')');
      return value.substring(1, end < 0 ? value.length() : end).replace("\"", "").replace("'", "");
    }
    char quote = value.isEmpty() ? ' ' : value.charAt(0);
    if (quote == '"' || quote == '\'') {
      int end = value.indexOf(quote, 1);
      return value.substring(1, end < 0 ? value.length() : end);
    }
    int end = 0;
    while (end < value.length() && " \t;#".indexOf(value.charAt(end)) < 0) {
      end++;
    }
    return value.substring(0, end);
  }

  /** What is computed by the shell is left out. */
  private List<String> words(String key) {
    List<String> words = new ArrayList<>();
    for (String value : values.getOrDefault(key, List.of())) {
      String filled =
          value
              .replace("${PACKAGE_NAME}", name)
              .replace("$PACKAGE_NAME", name)
              .replace("${PACKAGE_VERSION}", version)
              .replace("$PACKAGE_VERSION", version);
      boolean computed = filled.contains("$(") || filled.indexOf('`') >= 0;
      for (String word : computed ? new String[0] : filled.split("\\s+")) {
        if (!word.isEmpty() && word.indexOf('$') < 0) {
          words.add(word);
        }
      }
    }
    return words;
  }
}
