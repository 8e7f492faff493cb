package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Step;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.sys.Root;
import dev.weaklink.system.RpmDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says how packages are installed in a root that has a database of their kind. */
final class PackageInstaller {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final String DPKG_STATUS = "/var/lib/dpkg/status";

  private final Root root;
  private final Map<String, String> environment;

  PackageInstaller(Root root, Map<String, String> environment) {
    this.root = root;
    this.environment = environment;
  }

  /**
   * How packages come in, and out again.
   *
   * @param steps what installs them
   * @param undo commands that the administrator would run to take that back
   */
  record Way(List<Step> steps, List<String> undo) {
    Way {
      steps = List.copyOf(steps);
      undo = List.copyOf(undo);
    }
  }

  /** The way for these packages; null if the root does not keep track of such. */
  @Nullable Way of(List<Path> packages) throws IOException {
    if (packages.isEmpty()) {
      return null;
    }
    if (all(packages, ".rpm")) {
      List<String> tool = rpm();
      // Packages of the same version are rebuilt, and must be taken for new all the same.
      return tool == null
          ? null
          : new Way(
              step(
                  tool, List.of("--upgrade", "--oldpackage", "--replacepkgs", "--force"), packages),
              undo(tool, packages));
    }
    if (all(packages, ".deb") && Files.isRegularFile(root.resolve(DPKG_STATUS))) {
      List<String> tool = new ArrayList<>(List.of("dpkg"));
      tool.addAll(root.isHost() ? List.of() : List.of("--root=" + root.top()));
      return new Way(step(tool, List.of("--install"), packages), undo(tool, packages));
    }
    return null;
  }

  private static boolean all(List<Path> packages, String ending) {
    return packages.stream().allMatch(file -> file.toString().endsWith(ending));
  }

  /** Where an image's database is, rpm of this system need not know. */
  private @Nullable List<String> rpm() throws IOException {
    RpmDatabase database = RpmDatabase.find(root);
    if (database == null) {
      return null;
    }
    return root.isHost()
        ? List.of("rpm")
        : List.of(
            "rpm", "--root", root.top().toString(), "--dbpath", root.inside(database.directory()));
  }

  private static List<Step> step(List<String> tool, List<String> options, List<Path> packages) {
    List<String> words = new ArrayList<>(tool);
    words.addAll(options);
    for (Path file : packages) {
      words.add(file.toString());
    }
    return List.of(new Step("installing packages", words, Map.of(), null));
  }

  /** One that is new is removed; of one that was there the version before has to come back. */
  private List<String> undo(List<String> tool, List<Path> packages) throws IOException {
    boolean rpm = tool.get(0).equals("rpm");
    List<String> fresh = new ArrayList<>();
    List<String> commands = new ArrayList<>();
    for (Path file : packages) {
      String name = name(file, rpm);
      String before = version(tool, name, rpm);
      if (before.isEmpty()) {
        fresh.add(name);
      } else {
        commands.add(
            "install "
                + name
                + " "
                + before
                + " again, from where it came: "
                + again(name, before, rpm));
      }
    }
    if (!fresh.isEmpty()) {
      List<String> words = new ArrayList<>(tool);
      words.add(rpm ? "--erase" : "--remove");
      words.addAll(fresh);
      commands.add(0, new Step("", words, Map.of(), null).commandLine());
    }
    return commands;
  }

  private static String again(String name, String version, boolean rpm) {
    return rpm
        ? "dnf downgrade " + name + "-" + version
        : "apt-get install " + name + "=" + version;
  }

  private String name(Path file, boolean rpm) throws IOException {
    return ask(
        rpm
            ? List.of(
                "rpm",
                "--query",
                "--nosignature",
                "--queryformat",
                "%{NAME}",
                "--package",
                file.toString())
            : List.of("dpkg-deb", "--field", file.toString(), "Package"));
  }

  private String version(List<String> tool, String name, boolean rpm) throws IOException {
    List<String> words = new ArrayList<>(tool);
    if (rpm) {
      words.addAll(List.of("--query", "--queryformat", "%{VERSION}-%{RELEASE}\\n", name));
    } else {
      words.set(0, "dpkg-query");
      words.addAll(List.of("--show", "--showformat", "${db:Status-Status} ${Version}\\n", name));
    }
    ExternalCommand.Result result = run(words);
    List<String> lines = result.lines();
    if (!result.succeeded() || lines.isEmpty()) {
      return "";
    }
    String last = lines.get(lines.size() - 1);
    return rpm ? last : last.startsWith("installed ") ? last.substring("installed ".length()) : "";
  }

  private String ask(List<String> words) throws IOException {
    ExternalCommand.Result result = run(words);
    List<String> lines = result.lines();
    if (!result.succeeded() || lines.isEmpty()) {
      throw new IOException(words.get(0) + ": " + result.reason());
    }
    return lines.get(lines.size() - 1);
  }

  private ExternalCommand.Result run(List<String> words) throws IOException {
    return ExternalCommand.of(words, LIMIT)
        .withEnvironment(ProgramSearch.complete(environment))
        .run();
  }
}
