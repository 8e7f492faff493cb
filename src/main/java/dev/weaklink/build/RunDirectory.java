package dev.weaklink.build;

import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where one run keeps what it did: {@code manifest.json}, {@code log}, {@code logs} with those of
 * the build itself, {@code modules} with what came of it, and, unless it works elsewhere, {@code
 * work}. Runs of a kernel are numbered.
 *
 * @param host the directory
 * @param work where the build works
 */
public record RunDirectory(Path host, Path work) {
  private static final String RUNS = "/var/lib/weaklink/rebuilds";

  /**
   * The next run's, which is not made yet.
   *
   * @param ahead runs that will be made before it
   */
  static RunDirectory next(Root root, String kernel, @Nullable Path elsewhere, int ahead)
      throws IOException {
    Path runs = runs(root).resolve(kernel);
    int last = 0;
    for (String name : RootText.names(runs)) {
      last = Math.max(last, number(name));
    }
    String next = Integer.toString(last + 1 + ahead);
    Path host = runs.resolve(next);
    Path work =
        elsewhere == null
            ? host.resolve("work")
            : elsewhere.toAbsolutePath().normalize().resolve("weaklink-" + kernel + "-" + next);
    return new RunDirectory(host, work);
  }

  /**
   * The directory of a run.
   *
   * @param name as {@link #name} says it
   * @throws IOException if that is no run's name
   */
  static Path named(Root root, String name) throws IOException {
    String kernel = kernelOf(name);
    if (kernel.isEmpty() || kernel.startsWith(".") || kernel.indexOf('/') >= 0) {
      throw new IOException(name + ": not a run of a rebuild");
    }
    String number = name.substring(kernel.length() + 1);
    if (number(number) <= 0 || !Integer.toString(number(number)).equals(number)) {
      throw new IOException(name + ": not a run of a rebuild");
    }
    return runs(root).resolve(kernel).resolve(number);
  }

  /** The release that a run of such a name builds for. */
  static String kernelOf(String name) {
    return name.substring(0, Math.max(0, name.lastIndexOf('/')));
  }

  /** The run as {@code KERNEL/N}. */
  static String name(Path run) {
    Path parent = run.getParent();
    return (parent == null ? "" : parent.getFileName()) + "/" + run.getFileName();
  }

  /** Where the runs of all kernels are kept, by kernel. */
  static Path runs(Root root) throws IOException {
    return root.resolve(RUNS);
  }

  /** The runs for a kernel, the last one first. */
  static List<Path> newestFirst(Root root, String kernel) throws IOException {
    Path runs = runs(root).resolve(kernel);
    List<Path> found = new ArrayList<>();
    for (String name : RootText.names(runs)) {
      if (number(name) > 0) {
        found.add(runs.resolve(name));
      }
    }
    found.sort(Comparator.comparingInt(run -> -number(String.valueOf(run.getFileName()))));
    return found;
  }

  private static int number(String name) {
    try {
      return Integer.parseInt(name);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** What lies before any run: the lock of a kernel's rebuilds. */
  static Path lock(Root root, String kernel) throws IOException {
    return root.resolve("/run/weaklink/rebuild-" + kernel + ".lock");
  }

  Path log() {
    return host.resolve("log");
  }

  Path manifest() {
    return host.resolve("manifest.json");
  }

  /** Copies of the logs that a build wrote itself. */
  Path logs() {
    return host.resolve("logs");
  }

  /** What the build made, as it made it. */
  Path results() {
    return host.resolve("results");
  }

  /** What was unpacked of the results. */
  Path modules() {
    return host.resolve("modules");
  }
}
