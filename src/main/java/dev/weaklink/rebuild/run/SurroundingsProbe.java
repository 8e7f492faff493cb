package dev.weaklink.rebuild.run;

import dev.weaklink.format.codec.FileContents;
import dev.weaklink.format.codec.Limits;
import dev.weaklink.format.codec.UnreadableFileException;
import dev.weaklink.kernel.KernelConfig;
import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Platform;
import dev.weaklink.rebuild.Preflight;
import dev.weaklink.rebuild.Surroundings;
import dev.weaklink.sys.DpkgStatus;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.LockFile;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.BuildDirectory;
import dev.weaklink.system.FoundFile;
import dev.weaklink.system.KernelFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Looks at everything a build depends on; changes nothing. */
final class SurroundingsProbe {
  private static final Duration GCC_LIMIT = Duration.ofSeconds(20);
  private static final int SCRIPT_LIMIT = 4 << 20;

  /** Where dpkg keeps its database, unless its own variable says otherwise (dpkg(1)). */
  private static final String DPKG_DIRECTORY = "/var/lib/dpkg";

  private final Root root;
  private final Map<String, String> environment;

  SurroundingsProbe(Root root, Map<String, String> environment) {
    this.root = root;
    this.environment = environment;
  }

  Surroundings look(Backend backend, Job job, Platform platform) throws IOException {
    Set<String> present = new TreeSet<>();
    for (String program : Preflight.programs(backend, job)) {
      if (ProgramSearch.find(program, environment) != null) {
        present.add(program);
      }
    }
    KernelConfig config = config(job.place().kernel());
    return new Surroundings(
        isRoot(),
        present,
        free(Path.of(job.place().work())),
        treeRelease(Path.of(job.place().buildTree())),
        config == null ? 0 : major(config.value("GCC_VERSION")),
        gcc(),
        holder(job.place().kernel()),
        new SigningProbe(root, environment).look(backend, config),
        fitting(job.bundle(), platform),
        indexers(job.bundle()),
        missing(backend.debianPackages(job)));
  }

  /** Of an image that is packed, or has no script, it is not known; later scripts take either. */
  private static List<String> indexers(@Nullable Bundle bundle) {
    String script = script(bundle);
    boolean either = script.isEmpty() || script.contains("createrepo_c");
    return either ? List.of("createrepo", "createrepo_c") : List.of("createrepo");
  }

  /** Of the system that builds; where dpkg installs nothing, nothing is missed. */
  private List<String> missing(List<String> packages) {
    String directory = environment.getOrDefault("DPKG_ADMINDIR", DPKG_DIRECTORY);
    String status =
        packages.isEmpty() ? "" : RootText.read(Path.of(directory, "status"), DpkgStatus.LIMIT);
    List<String> missing = new ArrayList<>(status.isEmpty() ? List.of() : packages);
    missing.removeAll(DpkgStatus.installed(status).keySet());
    return missing;
  }

  /** The image's script, and those it calls. */
  private static String script(@Nullable Bundle bundle) {
    StringBuilder text = new StringBuilder();
    for (String name : List.of(Bundle.SCRIPT, "create_mlnx_ofed_installers.pl")) {
      if (bundle != null && bundle.form() == Bundle.Form.DIRECTORY) {
        text.append(RootText.read(Path.of(bundle.path()).resolve(name), SCRIPT_LIMIT));
      }
    }
    return text.toString();
  }

  private boolean isRoot() {
    try {
      Object owner = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      return Integer.valueOf(0).equals(owner) || environment.containsKey("FAKEROOTKEY");
    } catch (IOException e) {
      return false;
    }
  }

  private static long free(Path work) {
    try {
      return Files.getFileStore(existing(work)).getUsableSpace();
    } catch (IOException e) {
      return -1;
    }
  }

  /** The directory itself or the nearest above it that exists. */
  private static Path existing(Path path) {
    Path at = path;
    while (!Files.exists(at)) {
      Path parent = at.getParent();
      if (parent == null) {
        return at;
      }
      at = parent;
    }
    return at;
  }

  private static @Nullable String treeRelease(Path tree) {
    return Files.isRegularFile(tree.resolve("Makefile")) ? BuildDirectory.of(tree).release() : null;
  }

  private @Nullable KernelConfig config(String kernel) throws IOException {
    FoundFile config = KernelFiles.locate(root, kernel).first(KernelFiles.Role.CONFIG);
    if (config == null) {
      return null;
    }
    try {
      FileContents contents = new FileContents(Limits.TEXT);
      contents.load(config.host());
      return new KernelConfig(contents.bytes(), contents.length());
    } catch (UnreadableFileException e) {
      return null;
    }
  }

  /** Of 120200, as CONFIG_GCC_VERSION has it (scripts/cc-version.sh), 12. */
  private static int major(@Nullable String version) {
    try {
      return version == null ? 0 : Integer.parseInt(version) / 10_000;
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private int gcc() {
    Path gcc = ProgramSearch.find("gcc", environment);
    if (gcc == null) {
      return 0;
    }
    try {
      String version =
          ExternalCommand.of(List.of(gcc.toString(), "-dumpversion"), GCC_LIMIT)
              .run()
              .output()
              .strip();
      int dot = version.indexOf('.');
      return Integer.parseInt(dot < 0 ? version : version.substring(0, dot));
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
  }

  private @Nullable String holder(String kernel) throws IOException {
    LockFile.Holder holder = LockFile.heldBy(RunDirectory.lock(root, kernel));
    if (holder == null) {
      return null;
    }
    return holder.command().isEmpty()
        ? "process " + holder.pid()
        : holder.command() + " (process " + holder.pid() + ")";
  }

  private static @Nullable Boolean fitting(@Nullable Bundle bundle, Platform platform) {
    String name = platform.bundleName();
    if (bundle == null
        || !bundle.script()
        || bundle.form() != Bundle.Form.DIRECTORY
        || name == null) {
      return null;
    }
    String script = RootText.read(Path.of(bundle.path()).resolve(Bundle.SCRIPT), SCRIPT_LIMIT);
    int dot = name.indexOf('.');
    return script.contains(dot < 0 ? name : name.substring(0, dot));
  }
}
