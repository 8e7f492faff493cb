package dev.weaklink.manage;

import dev.weaklink.plan.LinkLayout;
import dev.weaklink.sys.Root;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Which layout of links the system in a root uses, if any, by its os-release(5). */
final class LinkLayouts {
  private static final List<String> FILES = List.of("/etc/os-release", "/usr/lib/os-release");
  private static final long MAX_SIZE = 1 << 16;

  private LinkLayouts() {}

  /** SUSE's where the system says it is one of theirs, else Red Hat's. */
  static LinkLayout of(Root root) {
    return isCalled(root, "suse") ? LinkLayout.SUSE : LinkLayout.RED_HAT;
  }

  /**
   * Whether it is a system on which modules belong to one kernel: OpenWrt's lie in one directory,
   * and what loads them (ubox:kmodloader.c) looks nowhere else.
   */
  static boolean knowsNoLinks(Root root) {
    return isCalled(root, "openwrt");
  }

  private static boolean isCalled(Root root, String word) {
    for (String file : FILES) {
      try {
        Path path = root.resolve(file);
        if (Files.isRegularFile(path) && Files.size(path) <= MAX_SIZE) {
          return isCalled(path, word);
        }
      } catch (IOException e) {
        // as if it were not there
      }
    }
    return false;
  }

  private static boolean isCalled(Path file, String word) throws IOException {
    try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        boolean names = line.startsWith("ID=") || line.startsWith("ID_LIKE=");
        if (names && line.contains(word)) {
          return true;
        }
      }
    }
    return false;
  }
}
