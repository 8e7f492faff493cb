import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.tukaani.xz.XZInputStream;

/**
 * The modules of the booted kernel, with depmod's results: which module exports a symbol, and which
 * modules have to be loaded before a module.
 */
final class Modules {
  private static final int SHT_SYMTAB = 2;

  private final Map<String, Path> files = new HashMap<>();
  private final Map<String, List<String>> before = new HashMap<>();
  private final Map<String, List<String>> soft = new HashMap<>();
  private final Map<String, String> exporters = new HashMap<>();
  private final List<Path> replaced = new ArrayList<>();

  /**
   * Runs depmod on a copy of the tree's layout below {@code scratch}.
   *
   * @param replacing directories of modules that replace the tree's modules of the same names
   */
  Modules(Path tree, Path scratch, List<Path> replacing) throws IOException, InterruptedException {
    String release = tree.toAbsolutePath().normalize().getFileName().toString();
    Path copy = scratch.resolve("depmod/lib/modules/" + release);
    Files.createDirectories(copy);
    try (Stream<Path> old = Files.list(copy)) {
      for (Path entry : (Iterable<Path>) old::iterator) {
        Files.delete(entry);
      }
    }
    try (Stream<Path> entries = Files.list(tree)) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        String name = entry.getFileName().toString();
        if (Files.exists(entry) && !name.matches("weak-updates|modules\\.(alias|dep|soft|sym).*")) {
          Files.createSymbolicLink(copy.resolve(name), entry.toRealPath());
        }
      }
    }
    Path configuration = scratch.resolve("depmod/search");
    Files.writeString(configuration, "search replacing* updates built-in\n");
    for (Path directory : replacing) {
      int number = replaced.size();
      replaced.add(copy.resolve("replacing" + number));
      Files.createSymbolicLink(replaced.get(number), directory);
    }
    String root = scratch.resolve("depmod").toString();
    run("depmod", "-b", root, "-C", configuration.toString(), release);
    read(copy, tree);
  }

  private void read(Path copy, Path tree) throws IOException {
    for (String line : Files.readAllLines(copy.resolve("modules.dep"))) {
      String[] parts = line.split(":", 2);
      Path file = copy.resolve(parts[0]);
      files.put(name(parts[0]), isReplacing(file) ? file : tree.resolve(parts[0]));
      List<String> needed = new ArrayList<>();
      for (String dependency : parts[1].strip().split(" +")) {
        needed.add(0, name(dependency));
      }
      before.put(name(parts[0]), needed);
    }
    Map<String, List<String>> aliases = new HashMap<>();
    for (String[] words : words(copy.resolve("modules.alias"))) {
      aliases.computeIfAbsent(words[1], any -> new ArrayList<>()).add(name(words[2]));
    }
    for (String[] words : words(copy.resolve("modules.softdep"))) {
      List<String> found = soft.computeIfAbsent(name(words[1]), any -> new ArrayList<>());
      for (int i = 3; i < words.length && !words[i].equals("post:"); i++) {
        found.addAll(aliases.getOrDefault(words[i], List.of(name(words[i]))));
      }
    }
    for (String[] words : words(copy.resolve("modules.symbols"))) {
      exporters.put(words[1].substring("symbol:".length()), name(words[2]));
    }
  }

  private static List<String[]> words(Path file) throws IOException {
    return Files.readAllLines(file).stream()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split(" "))
        .toList();
  }

  static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + " failed");
    }
  }

  /** Returns a module's name for the name of its file. */
  static String name(String file) {
    String base = file.substring(file.lastIndexOf('/') + 1);
    int end = base.indexOf(".ko");
    return (end < 0 ? base : base.substring(0, end)).replace('-', '_');
  }

  /** Returns all module files, sorted. */
  List<Path> files() {
    return files.values().stream().sorted().toList();
  }

  Path file(String name) {
    return files.get(name);
  }

  /** Returns whether the file replaces a module of the kernel. */
  boolean isReplacing(Path file) {
    return replaced.stream().anyMatch(file::startsWith);
  }

  /** Returns the modules that have to be loaded before a module with these undefined symbols, in order. */
  List<String> neededFor(Set<String> symbols, String name) {
    Set<String> all = new LinkedHashSet<>();
    for (String symbol : symbols) {
      String exporter = exporters.get(symbol);
      if (exporter != null && !exporter.equals(name)) {
        before.getOrDefault(exporter, List.of()).forEach(needed -> add(needed, all));
        add(exporter, all);
      }
    }
    all.remove(name);
    return List.copyOf(all);
  }

  /** Also adds soft dependencies, without which a module's init can fail (libcrc32c, up to 6.14). */
  private void add(String name, Set<String> all) {
    for (String first : soft.getOrDefault(name, List.of())) {
      before.getOrDefault(first, List.of()).stream().filter(files::containsKey).forEach(all::add);
      Stream.of(first).filter(files::containsKey).forEach(all::add);
    }
    Stream.of(name).filter(files::containsKey).forEach(all::add);
  }

  /** Returns a module's bytes, decompressed. */
  static byte[] read(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    if (!file.toString().endsWith(".xz")) {
      return bytes;
    }
    try (InputStream in = new XZInputStream(new ByteArrayInputStream(bytes))) {
      return in.readAllBytes();
    }
  }

  /** Returns the names of the undefined symbols; for a damaged file, the readable ones. */
  static Set<String> undefined(byte[] elf) {
    Set<String> found = new LinkedHashSet<>();
    try {
      ByteOrder order = elf[18] == 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
      ByteBuffer file = ByteBuffer.wrap(elf).order(order);
      int table = (int) file.getLong(40);
      for (int i = 0; i < (file.getShort(60) & 0xffff); i++) {
        int header = table + i * 64;
        if (file.getInt(header + 4) == SHT_SYMTAB) {
          int strings = (int) file.getLong(table + file.getInt(header + 40) * 64 + 24);
          int start = (int) file.getLong(header + 24);
          for (int at = start; at < start + file.getLong(header + 32); at += 24) {
            if (file.getShort(at + 6) == 0 && file.getInt(at) != 0) {
              found.add(string(elf, strings + file.getInt(at)));
            }
          }
        }
      }
    } catch (RuntimeException e) {
      return found;
    }
    return found;
  }

  private static String string(byte[] bytes, int start) {
    int end = start;
    while (bytes[end] != 0) {
      end++;
    }
    return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
  }
}
