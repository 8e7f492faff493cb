package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.Platform;
import java.nio.file.Path;
import java.util.List;

/** Where below a kernel's directory a module that was built is installed. Pure but for paths. */
final class Placement {
  private final String kernel;
  private final Platform platform;
  private final List<BuiltModule> installed;

  /**
   * For one kernel.
   *
   * @param installed out-of-tree modules that are installed for any kernel
   */
  Placement(String kernel, Platform platform, List<BuiltModule> installed) {
    this.kernel = kernel;
    this.platform = platform;
    this.installed = installed;
  }

  /**
   * The path below {@code lib/modules/KERNEL}: as in the package; else where the module is now, for
   * whatever kernel; else by its own name.
   */
  String of(Path file) {
    String path = file.toString();
    String name = String.valueOf(file.getFileName());
    String marker = "/lib/modules/" + kernel + "/";
    int packed = path.lastIndexOf(marker);
    if (packed >= 0) {
      return path.substring(packed + marker.length());
    }
    String module = name.substring(0, name.indexOf('.'));
    for (BuiltModule present : installed) {
      if (present.name().equals(module.replace('-', '_'))) {
        return directory(present.file()) + "/" + name;
      }
    }
    boolean red = platform.family() == Platform.Family.RED_HAT;
    return (red ? "extra/" : "updates/") + module + "/" + name;
  }

  /** Of {@code /lib/modules/K/extra/a/a.ko} the part {@code extra/a}. */
  private static String directory(String file) {
    int at = file.indexOf("/lib/modules/") + "/lib/modules/".length();
    return file.substring(file.indexOf('/', at) + 1, file.lastIndexOf('/'));
  }
}
