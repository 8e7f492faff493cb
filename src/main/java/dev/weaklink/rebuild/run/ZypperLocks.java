package dev.weaklink.rebuild.run;

import dev.weaklink.sys.DurableFiles;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.offers.OfferedPackage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The locks of ours by which zypper passes over packages, among those of others. zypper keeps the
 * line that says whose they are when it writes the file anew.
 */
final class ZypperLocks {
  private static final String DIRECTORY = "/etc/zypp";
  private static final String FILE = DIRECTORY + "/locks";
  private static final String OURS = "comment: weaklink hold";
  private static final int MAX_SIZE = 1 << 20;

  private ZypperLocks() {}

  /** Whether a root is one of zypper's. */
  static boolean isUsed(Root root) {
    return new RootText(root).isDirectory(DIRECTORY);
  }

  /** Has these held and no others of ours; the file is whole at any moment. */
  static void write(Root root, List<OfferedPackage> held) throws IOException {
    String before = read(root);
    StringBuilder after = new StringBuilder(others(before));
    for (OfferedPackage one : held) {
      after.append(after.isEmpty() || after.toString().endsWith("\n\n") ? "" : "\n");
      after
          .append("type: package\nversion: == " + one.version() + "\nmatch_type: glob\n")
          .append("case_sensitive: on\nsolvable_name: " + one.name() + "\n" + OURS + "\n\n");
    }
    if (!after.toString().equals(before)) {
      byte[] bytes = after.toString().getBytes(StandardCharsets.ISO_8859_1);
      DurableFiles.replace(root.resolve(FILE), bytes);
    }
  }

  /** Whether there were any. */
  static boolean remove(Root root) throws IOException {
    boolean were = isUsed(root) && Arrays.asList(read(root).split("\n", -1)).contains(OURS);
    if (were) {
      write(root, List.of());
    }
    return were;
  }

  /** As it is, one character a byte. */
  private static String read(Root root) throws IOException {
    byte[] bytes = new RootText(root).bytes(FILE, MAX_SIZE + 1);
    if (bytes.length > MAX_SIZE) {
      Path file = root.resolve(FILE);
      throw new IOException(file + " has more than " + MAX_SIZE + " bytes; it is left as it is");
    }
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** Without ours; what is not ours stays byte for byte. */
  private static String others(String text) {
    StringBuilder kept = new StringBuilder();
    for (String block : text.split("(?<=\n)(?=\n)", -1)) {
      if (!Arrays.asList(block.split("\n", -1)).contains(OURS)) {
        kept.append(block);
      }
    }
    return kept.toString().isBlank() ? "" : kept.toString();
  }
}
