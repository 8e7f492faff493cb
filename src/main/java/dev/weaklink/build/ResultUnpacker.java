package dev.weaklink.build;

import dev.weaklink.rebuild.ModulePackages;
import dev.weaklink.sys.ExternalCommand;
import dev.weaklink.tree.ModuleNames;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Unpacks results until the modules in them are files. */
final class ResultUnpacker {
  private static final Duration LIMIT = Duration.ofMinutes(20);
  private static final int MAX_FILES = 500_000;
  private static final Path OVERRIDES = Path.of("etc", "depmod.d");

  private final Path directory;
  private final String kernel;
  private final List<Path> modules = new ArrayList<>();
  private final List<Path> packages = new ArrayList<>();
  private final List<Path> overrides = new ArrayList<>();
  private int unpacked;

  /**
   * For one run.
   *
   * @param directory where to unpack; made if it is not there
   * @param kernel the release modules are wanted for
   */
  ResultUnpacker(Path directory, String kernel) {
    this.directory = directory;
    this.kernel = kernel;
  }

  /** Module files for that kernel, each name once, sorted by path. */
  List<Path> modules() {
    return List.copyOf(new TreeSet<>(modules));
  }

  /** Packages with modules for that kernel, sorted by path. */
  List<Path> packages() {
    return List.copyOf(new TreeSet<>(packages));
  }

  /** Files for depmod.d(5) that come with those modules, sorted by path. */
  List<Path> overrides() {
    return List.copyOf(new TreeSet<>(overrides));
  }

  /**
   * Takes in results.
   *
   * @throws IOException if one cannot be unpacked; the message says which
   */
  void add(List<Path> results) throws IOException {
    for (Path result : results) {
      String name = String.valueOf(result.getFileName());
      if (ModuleNames.isModuleFile(name)) {
        modules.add(result);
      } else if (name.endsWith(".tgz") || name.endsWith(".tar.gz")) {
        Path image = fresh();
        run(
            List.of(
                "tar", "--extract", "--no-same-owner", "--directory=" + image, "--file=" + result),
            result);
        addPackages(addTree(image));
      } else if (ModulePackages.canBeOne(name)) {
        addPackage(result, name);
      }
    }
  }

  /** A package that has modules for the kernel counts, whatever it is called. */
  private void addPackage(Path file, String name) throws IOException {
    boolean ofOthers =
        name.contains(".kver.") && !name.contains(".kver." + kernel.replace('-', '_'));
    if (!ofOthers) {
      int before = modules.size();
      Path tree = fresh();
      if (name.endsWith(".deb")) {
        run(List.of("dpkg-deb", "--extract", file.toString(), tree.toString()), file);
      } else {
        unpackRpm(file, tree);
      }
      List<Path> inner = addTree(tree);
      if (modules.size() > before) {
        packages.add(file);
      }
      addPackages(inner);
    }
  }

  private void addPackages(List<Path> files) throws IOException {
    for (Path file : files) {
      addPackage(file, String.valueOf(file.getFileName()));
    }
  }

  /** rpm2cpio's output goes into a file first: no shell joins the two. */
  private void unpackRpm(Path file, Path tree) throws IOException {
    Path cpio = tree.resolveSibling(tree.getFileName() + ".cpio");
    redirected(List.of("rpm2cpio", file.toString()), tree, null, cpio.toFile(), file);
    redirected(
        List.of("cpio", "--extract", "--make-directories", "--no-absolute-filenames", "--quiet"),
        tree,
        cpio.toFile(),
        null,
        file);
    Files.delete(cpio);
  }

  private static void redirected(
      List<String> words, Path start, @Nullable File in, @Nullable File out, Path subject)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(words).directory(start.toFile());
    builder.redirectInput(in == null ? new File("/dev/null") : in);
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.redirectOutput(
        out == null ? ProcessBuilder.Redirect.DISCARD : ProcessBuilder.Redirect.to(out));
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      process.destroyForcibly();
      if (!ended || process.waitFor() != 0) {
        throw new IOException(subject + ": " + words.get(0) + " cannot unpack it");
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static void run(List<String> words, Path subject) throws IOException {
    ExternalCommand.Result result = ExternalCommand.of(words, LIMIT).run();
    if (!result.succeeded()) {
      throw new IOException(
          subject + ": " + words.get(0) + " cannot unpack it: " + result.reason());
    }
  }

  private Path fresh() throws IOException {
    return Files.createDirectories(directory.resolve(Integer.toString(++unpacked)));
  }

  /** Adds a tree's modules, but for those of other kernels, and returns the packages in it. */
  private List<Path> addTree(Path tree) throws IOException {
    List<Path> inner = new ArrayList<>();
    Files.walkFileTree(
        tree,
        new SimpleFileVisitor<>() {
          private int visited;

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
              String name = String.valueOf(file.getFileName());
              if (ModuleNames.isModuleFile(name) && isForKernel(tree.relativize(file))) {
                modules.add(file);
              } else if (ModulePackages.isOne(name)) {
                inner.add(file);
              } else if (isOverride(tree.relativize(file))) {
                overrides.add(file);
              }
            }
            return ++visited < MAX_FILES ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
          }
        });
    return inner;
  }

  /** Removes what was unpacked besides modules and packages. */
  void prune() throws IOException {
    Set<Path> wanted = new HashSet<>(modules);
    wanted.addAll(packages);
    wanted.addAll(overrides);
    if (!Files.isDirectory(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (!wanted.contains(file)) {
              Files.delete(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            if (RootText.names(visited).isEmpty()) {
              Files.delete(visited);
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  /** In a package {@code etc/depmod.d/x.conf}; in an image a directory is before that. */
  private static boolean isOverride(Path inside) {
    int names = inside.getNameCount();
    return names >= 3
        && names <= 4
        && inside.subpath(names - 3, names - 1).equals(OVERRIDES)
        && inside.toString().endsWith(".conf");
  }

  private boolean isForKernel(Path inside) {
    String path = "/" + inside;
    int at = path.indexOf("/lib/modules/");
    return at < 0 || path.startsWith(kernel + "/", at + "/lib/modules/".length());
  }
}
