package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Platform;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads os-release(5) and, of Debian, its finer version. */
final class OsRelease {
  private static final int LIMIT = 1 << 16;

  private OsRelease() {}

  static Platform read(Root root) {
    RootText text = new RootText(root);
    String content = text.read("/etc/os-release", LIMIT);
    if (content.isEmpty()) {
      content = text.read("/usr/lib/os-release", LIMIT);
    }
    Map<String, String> values = new HashMap<>();
    for (String line : content.split("\n", -1)) {
      int equals = line.indexOf('=');
      if (equals > 0) {
        values.putIfAbsent(line.substring(0, equals).strip(), unquoted(line.substring(equals + 1)));
      }
    }
    String id = values.getOrDefault("ID", "");
    String like = values.getOrDefault("ID_LIKE", "").strip();
    return new Platform(
        id, like.isEmpty() ? List.of() : List.of(like.split(" +")), version(id, values, text));
  }

  /** Debian's os-release has the major version only. */
  private static String version(String id, Map<String, String> values, RootText text) {
    String version = values.getOrDefault("VERSION_ID", "");
    if (id.equals("debian")) {
      String finer = text.read("/etc/debian_version", 64).strip();
      return finer.startsWith(version + ".") ? finer : version;
    }
    return version;
  }

  private static String unquoted(String value) {
    String bare = value.strip();
    int last = bare.length() - 1;
    boolean quoted =
        last > 0
            && (bare.charAt(0) == '"' || bare.charAt(0) == '\'')
            && bare.charAt(last) == bare.charAt(0);
    return quoted ? bare.substring(1, last) : bare;
  }
}
