package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.OpenWrtPackages;
import dev.weaklink.rebuild.Platform;
import dev.weaklink.rebuild.run.EvidenceReader.OsRelease;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what OpenWrt's package manager has installed: opkg, and apk since 24.10. */
public final class OpenWrtReader {
  private static final int LIMIT = 16 << 20;

  private OpenWrtReader() {}

  /**
   * The packages of a root.
   *
   * @return null if it is not OpenWrt
   * @throws IOException if there is no such root
   */
  public static @Nullable OpenWrtPackages read(@Nullable Path directory) throws IOException {
    Root root = Root.of(directory);
    if (OsRelease.read(root).family() != Platform.Family.OPENWRT) {
      return null;
    }
    RootText text = new RootText(root);
    String apk = text.read("/lib/apk/db/installed", LIMIT);
    return apk.isEmpty()
        ? OpenWrtPackages.ofOpkg(lines(text.read("/usr/lib/opkg/status", LIMIT)))
        : OpenWrtPackages.ofApk(lines(apk));
  }

  private static List<String> lines(String text) {
    return List.of(text.split("\n", -1));
  }
}
