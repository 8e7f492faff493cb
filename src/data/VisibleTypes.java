import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Makes src/main/resources/explain/visible-types-SERIES.txt.gz: the structs and unions that are
 * complete in each source file of the kernel, as genksyms found them.
 *
 * <p>In a configured kernel source tree (linux-source-6.12 with Debian's configuration, after
 * {@code make prepare scripts}) run {@code make -k KBUILD_SYMTYPES=1 FILE.symtypes} for every
 * FILE.c that exports symbols of vmlinux, then {@code java src/data/VisibleTypes.java TREE RELEASE
 * | gzip -9n > FILE}.
 */
final class VisibleTypes {
  private static final class SourceFile {
    final TreeSet<String> complete = new TreeSet<>();
    final TreeSet<String> incomplete = new TreeSet<>();
    final TreeSet<String> symbols = new TreeSet<>();
  }

  public static void main(String[] args) throws IOException {
    Map<String, SourceFile> files = read(Path.of(args[0]));
    List<String> types = seenBothWaysOrNever(files);
    PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.US_ASCII);
    out.println("# Which types the source files of Linux " + args[1] + " see complete, by genksyms.");
    out.println("# Made by src/data/VisibleTypes.java. First line: types that are complete wherever they are");
    out.println("# referred to. Second line: the others. Then a line for each file: bits of the latter that are");
    out.println("# complete, of those that are declared only (Base64), and the symbols it exports.");
    out.println(String.join(" ", alwaysComplete(files, types)));
    out.println(String.join(" ", types));
    for (SourceFile file : files.values()) {
      String complete = bits(types, file.complete);
      out.println(complete + " " + bits(types, file.incomplete) + " " + String.join(" ", file.symbols));
    }
    out.flush();
  }

  private static Map<String, SourceFile> read(Path tree) throws IOException {
    Map<String, SourceFile> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(tree)) {
      for (Path path : (Iterable<Path>) all.filter(p -> p.toString().endsWith(".symtypes"))::iterator) {
        SourceFile file = new SourceFile();
        Files.readAllLines(path).forEach(line -> add(line, file));
        if (!file.symbols.isEmpty()) {
          files.put(tree.relativize(path).toString(), file);
        }
      }
    }
    return files;
  }

  private static void add(String line, SourceFile file) {
    int space = line.indexOf(' ');
    String name = line.substring(0, space);
    if (name.startsWith("s#") || name.startsWith("u#")) {
      (line.contains("{ UNKNOWN }") ? file.incomplete : file.complete).add(name);
    } else if (name.indexOf('#') < 0) {
      file.symbols.add(name);
    }
  }

  private static List<String> seenBothWaysOrNever(Map<String, SourceFile> files) {
    TreeSet<String> types = new TreeSet<>();
    files.values().forEach(file -> types.addAll(file.incomplete));
    return new ArrayList<>(types);
  }

  private static TreeSet<String> alwaysComplete(Map<String, SourceFile> files, List<String> others) {
    TreeSet<String> types = new TreeSet<>();
    files.values().forEach(file -> types.addAll(file.complete));
    others.forEach(types::remove);
    return types;
  }

  private static String bits(List<String> types, TreeSet<String> seen) {
    BitSet bits = new BitSet();
    for (int i = 0; i < types.size(); i++) {
      bits.set(i, seen.contains(types.get(i)));
    }
    return "." + Base64.getEncoder().withoutPadding().encodeToString(bits.toByteArray());
  }
}
