package dev.weaklink.build;

import dev.weaklink.rebuild.BuiltModule;
import dev.weaklink.rebuild.LoadedModule;
import dev.weaklink.rebuild.ReloadForecast;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.rebuild.Usage;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.tree.ModuleFile;
import dev.weaklink.tree.ModuleTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks at what is loaded, what is installed, and who uses it; reloads nothing. */
public final class ReloadProbe {
  private static final int LIMIT = 4 << 20;
  private static final Set<String> SERVICES = Set.of("opensm", "ibacm", "srp_daemon");

  private final Root root;
  private final RootText text;

  private ReloadProbe(Root root) {
    this.root = root;
    this.text = new RootText(root);
  }

  /**
   * Predicts for the running kernel.
   *
   * @param root where /proc, /sys and the modules are; the host's for anything but a test
   * @param product the product whose modules would be reloaded; null for all out-of-tree modules
   * @throws IOException if it cannot be told what runs
   * @throws UnusableJobException if no such product is known
   */
  public static Seen look(Root root, @Nullable String product, int threads)
      throws IOException, UnusableJobException {
    ReloadProbe probe = new ReloadProbe(root);
    String release = probe.text.read("/proc/sys/kernel/osrelease", 4096).strip();
    if (release.isEmpty()) {
      throw new IOException("/proc/sys/kernel/osrelease does not tell which kernel runs");
    }
    Map<String, String> outOfTree = new TreeMap<>();
    Map<String, String> own = new TreeMap<>();
    ModuleTree tree = ModuleTree.scan(root, release);
    for (String name : tree.names()) {
      ModuleFile file = tree.chosen(name);
      if (file == null) {
        continue;
      }
      if (isOwn(file, tree)) {
        own.put(name, file.inside());
      } else {
        outOfTree.put(name, file.inside());
      }
    }
    if (product != null) {
      outOfTree.keySet().retainAll(ProductModules.of(root, product, outOfTree));
    }
    List<BuiltModule> installed = Inventory.of(files(root, outOfTree), threads);
    ReloadForecast forecast = ReloadForecast.of(probe.loaded(), installed, own, probe.usage());
    return new Seen(release, installed.size(), forecast);
  }

  private static List<Path> files(Root root, Map<String, String> modules) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String inside : modules.values()) {
      files.add(root.resolve(inside));
    }
    return files;
  }

  /**
   * What was seen.
   *
   * @param kernel the running release
   * @param installed number of out-of-tree modules that modprobe would choose
   */
  public record Seen(String kernel, int installed, ReloadForecast forecast) {}

  private static boolean isOwn(ModuleFile file, ModuleTree tree) {
    return file.inside().startsWith(tree.directory().inside() + "/kernel/");
  }

  /** Lines of /proc/modules: name, size, references, holders each with a comma or "-", ... */
  private List<LoadedModule> loaded() {
    List<LoadedModule> loaded = new ArrayList<>();
    for (String line : text.read("/proc/modules", LIMIT).split("\n", -1)) {
      String[] fields = line.split(" ", 5);
      if (fields.length < 4) {
        continue;
      }
      String srcversion = text.read("/sys/module/" + fields[0] + "/srcversion", 64).strip();
      loaded.add(new LoadedModule(fields[0], srcversion, number(fields[2]), holders(fields[3])));
    }
    return loaded;
  }

  private static int number(String digits) {
    try {
      return Integer.parseInt(digits);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private static List<String> holders(String field) {
    List<String> holders = new ArrayList<>();
    for (String name : field.split(",", -1)) {
      if (!name.isEmpty() && !name.equals("-") && !name.equals("[permanent]")) {
        holders.add(name);
      }
    }
    return holders;
  }

  private Usage usage() {
    Set<String> services = new TreeSet<>();
    Set<String> openers = new TreeSet<>();
    for (String pid : text.names("/proc")) {
      if (!Character.isDigit(pid.charAt(0))) {
        continue;
      }
      String name = text.read("/proc/" + pid + "/comm", 64).strip();
      if (SERVICES.contains(name)) {
        services.add(name);
      }
      if (hasDeviceOpen(pid)) {
        openers.add(name + " (process " + pid + ")");
      }
    }
    return new Usage(
        new ArrayList<>(services),
        new ArrayList<>(openers),
        virtualFunctions(),
        text.names("/sys/class/iscsi_session").size());
  }

  /** Links in /proc/PID/fd are read as text and not followed. */
  private boolean hasDeviceOpen(String pid) {
    for (String descriptor : text.names("/proc/" + pid + "/fd")) {
      try {
        Path link = root.resolve("/proc/" + pid + "/fd").resolve(descriptor);
        if (Files.readSymbolicLink(link).startsWith("/dev/infiniband")) {
          return true;
        }
      } catch (IOException | UnsupportedOperationException e) {
        continue;
      }
    }
    return false;
  }

  private List<String> virtualFunctions() {
    List<String> devices = new ArrayList<>();
    for (String device : text.names("/sys/bus/pci/devices")) {
      String count = text.read("/sys/bus/pci/devices/" + device + "/sriov_numvfs", 16).strip();
      if (number(count) > 0) {
        devices.add(device);
      }
    }
    return devices;
  }
}
