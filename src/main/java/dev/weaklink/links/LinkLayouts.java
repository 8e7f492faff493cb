package dev.weaklink.links;

import dev.weaklink.links.plan.LinkLayout;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.util.List;

/** Which layout of links the system in a root uses, if any, by its os-release(5). */
final class LinkLayouts {
  private static final List<String> FILES = List.of("/etc/os-release", "/usr/lib/os-release");
  private static final int MAX_SIZE = 1 << 16;

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
    RootText text = new RootText(root);
    String file = text.isFile(FILES.get(0)) ? FILES.get(0) : FILES.get(1);
    for (String line : text.read(file, MAX_SIZE).split("\n", -1)) {
      boolean names = line.startsWith("ID=") || line.startsWith("ID_LIKE=");
      if (names && line.contains(word)) {
        return true;
      }
    }
    return false;
  }
}
