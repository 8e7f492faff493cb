package dev.weaklink.inventory;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What /proc and /sys tell, where a root has them. Texts are bytes. */
final class NodeState {
  private static final String SECURE_BOOT =
      "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

  /** Four bytes of attributes and one of value; whatever is beyond is not looked at. */
  private static final int VARIABLE = 16;

  /** A module in the running kernel; a fact that is not told is null. */
  record Loaded(String name, @Nullable String srcversion, @Nullable String taint) {}

  private final ImageFiles files;

  NodeState(ImageFiles files) {
    this.files = files;
  }

  @Nullable String hostName() {
    return files.firstLine("/proc/sys/kernel/hostname");
  }

  @Nullable String running() {
    return notEmpty(files.firstLine("/proc/sys/kernel/osrelease"));
  }

  /** enabled, disabled or unsupported; null where nothing tells. */
  @Nullable String secureBoot() {
    if (files.directory("/sys/firmware/efi") != null) {
      Path file = files.file(Path.of(SECURE_BOOT));
      return file == null ? null : lastByte(file);
    }
    boolean isSystem =
        files.directory("/sys/firmware") != null && files.directory("/sys/module") != null;
    return isSystem ? "unsupported" : null;
  }

  private static @Nullable String lastByte(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(VARIABLE);
      int value = bytes.length == 0 ? -1 : bytes[bytes.length - 1];
      return value == 1 ? "enabled" : value == 0 ? "disabled" : null;
    } catch (IOException e) {
      return null;
    }
  }

  /** The word in brackets, or all there is. */
  @Nullable String lockdown() {
    String line = notEmpty(files.firstLine("/sys/kernel/security/lockdown"));
    return line == null ? null : chosen(line);
  }

  private static String chosen(String line) {
    for (int open = line.indexOf('['); open >= 0; open = line.indexOf('[', open + 1)) {
      int end = open + 1;
      while (end < line.length() && line.charAt(end) >= 'a' && line.charAt(end) <= 'z') {
        end++;
      }
      if (end > open + 1 && end < line.length() && line.charAt(end) == ']') {
        return line.substring(open + 1, end);
      }
    }
    return line;
  }

  @Nullable Boolean enforced() {
    String line = notEmpty(files.firstLine("/sys/module/module/parameters/sig_enforce"));
    return line == null ? null : Boolean.valueOf(line.equals("Y"));
  }

  /** All that were loaded, sorted by name; those built in have no state. */
  List<Loaded> loaded() {
    List<Loaded> loaded = new ArrayList<>();
    Path directory = files.directory("/sys/module");
    if (directory == null) {
      return loaded;
    }
    Path inside = Path.of("/sys/module");
    for (Path name : ImageFiles.names(directory)) {
      Path module = inside.resolve(name);
      if (files.exists(module.resolve("initstate"))) {
        loaded.add(
            new Loaded(
                PathBytes.of(name),
                files.firstLine(module.resolve("srcversion")),
                notEmpty(files.firstLine(module.resolve("taint")))));
      }
    }
    return loaded;
  }

  private static @Nullable String notEmpty(@Nullable String text) {
    return text == null || text.isEmpty() ? null : text;
  }
}
