import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The arguments that {@code run} passes on: KEY=VALUE, directories, {@code --}, and the command of
 * weaklink.
 */
final class Arguments {
  private final List<String> keys = new ArrayList<>();
  private final List<String> values = new ArrayList<>();
  private final List<Path> others = new ArrayList<>();
  private final List<String> weaklink = new ArrayList<>();

  Arguments(String[] args) {
    int i = 0;
    for (; !args[i].equals("--"); i++) {
      int equals = args[i].indexOf('=');
      if (equals > 0 && !args[i].startsWith("/")) {
        keys.add(args[i].substring(0, equals));
        values.add(args[i].substring(equals + 1));
      } else {
        others.add(Path.of(args[i]).toAbsolutePath());
      }
    }
    weaklink.addAll(List.of(args).subList(i + 1, args.length));
  }

  private String value(String key) {
    return values.get(keys.lastIndexOf(key));
  }

  private Path path(String key) {
    return Path.of(value(key)).toAbsolutePath().normalize();
  }

  Conformance.Options options() {
    return new Conformance.Options(
        path("kernel"),
        path("tree"),
        path("scratch"),
        path("init"),
        path("table"),
        value("answers").isEmpty() ? null : path("answers"),
        Integer.parseInt(value("own")),
        Integer.parseInt(value("mutants")),
        Integer.parseInt(value("btf")),
        Integer.parseInt(value("odd")),
        Long.parseLong(value("seed")),
        Integer.parseInt(value("boots")),
        value("policy"),
        Boolean.parseBoolean(value("together")),
        others,
        weaklink);
  }
}
