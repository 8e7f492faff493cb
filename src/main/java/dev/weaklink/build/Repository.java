package dev.weaklink.build;

import dev.weaklink.sys.ExternalCommand;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Offers what was built to other machines: a directory, and a package repository if it can be. */
public final class Repository {
  private static final Duration LIMIT = Duration.ofMinutes(20);

  private final Path directory;
  private final Map<String, String> environment;

  /**
   * In a directory.
   *
   * @param environment in whose PATH tools are looked for
   */
  public Repository(Path directory, Map<String, String> environment) {
    this.directory = directory.toAbsolutePath().normalize();
    this.environment = environment;
  }

  /**
   * Copies packages, or modules where there are none, and makes a repository's index.
   *
   * @param kernel the release they are for
   * @return lines that say how it is used
   * @throws IOException if something cannot be written or a tool fails
   */
  public List<String> fill(String kernel, RebuildOutcome.Results results) throws IOException {
    Files.createDirectories(directory);
    List<Path> packages = results.packages();
    if (packages.isEmpty()) {
      Path modules = Files.createDirectories(directory.resolve(kernel));
      copy(results.modules(), modules);
      return List.of("modules in " + modules);
    }
    copy(packages, directory);
    boolean debian = packages.get(0).toString().endsWith(".deb");
    return debian ? apt() : yum(kernel);
  }

  private static void copy(List<Path> files, Path to) throws IOException {
    for (Path file : files) {
      Path target = to.resolve(String.valueOf(file.getFileName()));
      Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  private List<String> yum(String kernel) throws IOException {
    for (String tool : List.of("createrepo_c", "createrepo")) {
      Path program = ProgramSearch.find(tool, environment);
      if (program != null) {
        ExternalCommand.Result result =
            ExternalCommand.of(List.of(program.toString(), "--quiet", directory.toString()), LIMIT)
                .run();
        if (!result.succeeded()) {
          throw new IOException(tool + ": " + result.reason());
        }
        return List.of(
            "[weaklink-" + kernel + "]",
            "name=Modules for " + kernel,
            "baseurl=file://" + directory,
            "gpgcheck=0");
      }
    }
    return List.of("packages in " + directory + "; install createrepo_c to have an index");
  }

  private List<String> apt() throws IOException {
    Path program = ProgramSearch.find("dpkg-scanpackages", environment);
    if (program == null) {
      return List.of("packages in " + directory + "; install dpkg-dev to have an index");
    }
    List<String> words = new ArrayList<>(List.of(program.toString(), "--multiversion", "."));
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    builder.redirectInput(new File("/dev/null"));
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.redirectOutput(directory.resolve("Packages").toFile());
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      process.destroyForcibly();
      if (!ended || process.waitFor() != 0) {
        throw new IOException("dpkg-scanpackages failed");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return List.of("deb [trusted=yes] file:" + directory + " ./");
  }
}
