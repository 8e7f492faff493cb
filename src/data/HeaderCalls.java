import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes src/main/resources/explain/header-calls.txt.gz: which symbols modules import mostly because
 * macros and inline functions of headers name them, not their own sources.
 *
 * <p>{@code java src/data/HeaderCalls.java TREE MODULES [TREE MODULES]... [-- TREE MODULES...] | gzip
 * -9n > FILE}, with the source of a kernel and its modules, unpacked (lib/modules/RELEASE/kernel, 64
 * bit, little-endian). A directory whose modules import a symbol names it or does not; what less than
 * half of them name is called by headers. Behind {@code --}, of another architecture, only symbols
 * count that no module before imports: there are fewer drivers. The file is of 6.1.192 and 6.12.117
 * for amd64 and then for arm64.
 */
final class HeaderCalls {
  private static final Pattern COMMENT_OR_TEXT =
      Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*|\"(?:[^\"\\\\\n]|\\\\.)*\"|EXPORT_SYMBOL\\w*\\([^)]*\\)");
  private static final Pattern WORD = Pattern.compile("[A-Za-z_]\\w+");

  public static void main(String[] args) throws IOException {
    Map<String, Integer> imported = new TreeMap<>();
    Map<String, Integer> named = new HashMap<>();
    Set<String> before = Set.of();
    for (int i = 0; i + 1 < args.length; i += 2) {
      if (args[i].equals("--")) {
        before = Set.copyOf(imported.keySet());
        i++;
      }
      Map<Path, Set<String>> imports = imports(Path.of(args[i + 1]));
      for (Map.Entry<Path, Set<String>> directory : imports.entrySet()) {
        Set<String> words = words(Path.of(args[i]), directory.getKey(), imports.keySet());
        for (String symbol : directory.getValue()) {
          if (before.contains(symbol)) {
            continue;
          }
          imported.merge(symbol, 1, Integer::sum);
          named.merge(symbol, words.contains(symbol) ? 1 : 0, Integer::sum);
        }
      }
    }
    Set<String> plain = new TreeSet<>();
    Set<String> underscored = new TreeSet<>();
    imported.forEach(
        (symbol, count) -> {
          boolean byHeaders = named.get(symbol) * 2 < count;
          if (byHeaders && !symbol.startsWith("_")) {
            plain.add(symbol);
          } else if (!byHeaders && symbol.startsWith("_")) {
            underscored.add(symbol);
          }
        });
    System.out.println("# Made by src/data/HeaderCalls.java. First line: symbols that modules import because of");
    System.out.println("# headers. Second line: names with underscores in front that their own sources have.");
    System.out.println(String.join(" ", plain));
    System.out.println(String.join(" ", underscored));
  }

  /** What the modules of each directory import. */
  private static Map<Path, Set<String>> imports(Path modules) throws IOException {
    Map<Path, Set<String>> imports = new HashMap<>();
    for (Path file : files(modules, ".ko")) {
      Path directory = modules.relativize(file.getParent());
      undefined(Files.readAllBytes(file), imports.computeIfAbsent(directory, d -> new HashSet<>()));
    }
    return imports;
  }

  private static void undefined(byte[] data, Set<String> symbols) {
    ByteBuffer elf = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
    int sections = (int) elf.getLong(0x28);
    for (int i = 0; i < elf.getShort(0x3c); i++) {
      int section = sections + i * 64;
      if (elf.getInt(section + 4) == 2) {
        int names = (int) elf.getLong(sections + elf.getInt(section + 40) * 64 + 24);
        int start = (int) elf.getLong(section + 24);
        for (int at = start + 24; at < start + elf.getLong(section + 32); at += 24) {
          if (elf.getShort(at + 6) == 0) {
            int from = names + elf.getInt(at);
            int to = from;
            while (data[to] != 0) {
              to++;
            }
            symbols.add(new String(data, from, to - from, StandardCharsets.US_ASCII));
          }
        }
      }
    }
    symbols.remove("");
  }

  /** The words of its sources; not of directories below that have modules of their own. */
  private static Set<String> words(Path tree, Path directory, Set<Path> others) throws IOException {
    Set<String> words = new HashSet<>();
    for (Path file : files(tree.resolve(directory), ".c", ".h")) {
      Path of = tree.relativize(file.getParent());
      while (!of.equals(directory) && !others.contains(of)) {
        of = of.getParent();
      }
      if (of.equals(directory)) {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        Matcher word = WORD.matcher(COMMENT_OR_TEXT.matcher(text).replaceAll(" "));
        while (word.find()) {
          words.add(word.group());
        }
      }
    }
    return words;
  }

  private static List<Path> files(Path directory, String... endings) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(file -> Stream.of(endings).anyMatch(file.toString()::endsWith))
          .filter(Files::isRegularFile)
          .sorted()
          .collect(Collectors.toList());
    }
  }
}
