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
 * The modules of the kernel that is booted, with what depmod knows of them: which module exports a
 * symbol, and what has to be loaded before a module.
 */
final class Modules {
  private static final int SHT_SYMTAB = 2;

  private final Map<String, Path> files = new HashMap<>();
  private final Map<String, List<String>> before = new HashMap<>();
  private final Map<String, String> exporters = new HashMap<>();

  /** Runs depmod on a copy of the tree's layout below {@code scratch}. */
  Modules(Path tree, Path scratch) throws IOException, InterruptedException {
    String release = tree.toAbsolutePath().normalize().getFileName().toString();
    Path copy = scratch.resolve("depmod/lib/modules/" + release);
    Files.createDirectories(copy);
    try (Stream<Path> entries = Files.list(tree)) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        Path link = copy.resolve(entry.getFileName().toString());
        if (Files.exists(entry)
            && !Files.exists(link)
            && !entry.getFileName().toString().matches("modules\\.(dep|sym).*")) {
          Files.createSymbolicLink(link, entry.toRealPath());
        }
      }
    }
    run("depmod", "-b", scratch.resolve("depmod").toString(), release);
    for (String line : Files.readAllLines(copy.resolve("modules.dep"))) {
      String[] parts = line.split(":", 2);
      files.put(name(parts[0]), tree.resolve(parts[0]));
      List<String> needed = new ArrayList<>();
      for (String file : parts[1].strip().split(" +")) {
        needed.add(0, name(file));
      }
      before.put(name(parts[0]), needed);
    }
    for (String line : Files.readAllLines(copy.resolve("modules.symbols"))) {
      String[] words = line.split(" ");
      if (words.length == 3 && words[0].equals("alias")) {
        exporters.put(words[1].substring("symbol:".length()), words[2].replace('-', '_'));
      }
    }
  }

  static void run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + " failed");
    }
  }

  /** A module's name by that of its file. */
  static String name(String file) {
    String base = file.substring(file.lastIndexOf('/') + 1);
    int end = base.indexOf(".ko");
    return (end < 0 ? base : base.substring(0, end)).replace('-', '_');
  }

  /** All its files, sorted. */
  List<Path> files() {
    return files.values().stream().sorted().toList();
  }

  Path file(String name) {
    return files.get(name);
  }

  /** Own modules that have to be loaded before a module with these undefined symbols, in order. */
  List<String> neededFor(Set<String> symbols, String name) {
    Set<String> all = new LinkedHashSet<>();
    for (String symbol : symbols) {
      String exporter = exporters.get(symbol);
      if (exporter != null && !exporter.equals(name)) {
        before.getOrDefault(exporter, List.of()).stream()
            .filter(files::containsKey)
            .forEach(all::add);
        all.add(exporter);
      }
    }
    all.remove(name);
    return List.copyOf(all);
  }

  /** A module's bytes, unpacked. */
  static byte[] read(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    if (!file.toString().endsWith(".xz")) {
      return bytes;
    }
    try (InputStream in = new XZInputStream(new ByteArrayInputStream(bytes))) {
      return in.readAllBytes();
    }
  }

  /** Names of the undefined symbols; of a damaged file those that can be read. */
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
