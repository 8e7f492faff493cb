import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Prints the changes between two kernels that genksyms itself recorded. For each export of each
 * source file, the output lists the types that the CRC covers and whose own definitions differ.
 * ExplainTruthIT compares the causes that weaklink names with this output.
 *
 * <p>In the configured source trees of both kernels (linux-source of a distribution with the
 * configuration of its kernel, after {@code make olddefconfig prepare scripts}) run {@code make -k
 * KBUILD_SYMTYPES=1 FILE.symtypes} for the same source files, then {@code java
 * src/data/ExplainTruth.java OLD_TREE NEW_TREE > FILE}.
 */
final class ExplainTruth {
  private static final String ENDING = ".symtypes";

  private ExplainTruth() {}

  public static void main(String[] args) throws IOException {
    Path old = Path.of(args[0]);
    Path now = Path.of(args[1]);
    System.out.println("#symbol\tfile\tchanged\troots");
    for (String file : files(old)) {
      if (Files.exists(now.resolve(file))) {
        print(file, definitions(old.resolve(file)), definitions(now.resolve(file)));
      }
    }
  }

  private static Set<String> files(Path tree) throws IOException {
    try (Stream<Path> all = Files.walk(tree)) {
      Set<String> files = new TreeSet<>();
      all.map(path -> tree.relativize(path).toString())
          .filter(path -> path.endsWith(ENDING))
          .forEach(files::add);
      return files;
    }
  }

  /** Returns the definition of each line's type, such as s#page, or export. */
  private static Map<String, String> definitions(Path file) throws IOException {
    Map<String, String> definitions = new TreeMap<>();
    for (String line : Files.readAllLines(file)) {
      int space = line.indexOf(' ');
      definitions.put(line.substring(0, space), line.substring(space + 1));
    }
    return definitions;
  }

  private static void print(String file, Map<String, String> old, Map<String, String> now) {
    String source = file.substring(0, file.length() - ENDING.length()) + ".c";
    for (String symbol : old.keySet()) {
      if (symbol.indexOf('#') < 0 && now.containsKey(symbol)) {
        List<String> roots = roots(symbol, old, now);
        String words = roots.isEmpty() ? "-" : String.join(",", roots);
        System.out.println(
            symbol + "\t" + source + "\t" + (roots.isEmpty() ? 0 : 1) + "\t" + words);
      }
    }
  }

  private static List<String> roots(
      String symbol, Map<String, String> old, Map<String, String> now) {
    Set<String> roots = new TreeSet<>();
    Set<String> seen = new TreeSet<>(Set.of(symbol));
    Deque<String> open = new ArrayDeque<>(seen);
    while (!open.isEmpty()) {
      String name = open.remove();
      String definition = old.get(name);
      if (definition == null) {
        continue;
      }
      if (!definition.equals(now.get(name))) {
        roots.add(name);
      }
      for (String word : definition.split(" ")) {
        if (word.indexOf('#') > 0 && seen.add(word)) {
          open.add(word);
        }
      }
    }
    return new ArrayList<>(roots);
  }
}
