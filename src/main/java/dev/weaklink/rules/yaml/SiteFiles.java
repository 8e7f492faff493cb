package dev.weaklink.rules.yaml;

import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Finds the rule files of a site. */
final class SiteFiles {
  static final String DIRECTORY = "/etc/weaklink";

  private static final String SUFFIX = ".yaml";
  private static final int MAX_FILES = 200;

  private final Root root;
  private final List<RuleProblem> problems;

  /**
   * @param problems gets what is wrong with the directory
   */
  SiteFiles(Root root, List<RuleProblem> problems) {
    this.root = root;
    this.problems = problems;
  }

  /** The names of the files, sorted. */
  List<String> names() {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(DIRECTORY))) {
      for (Path entry : entries) {
        add(names, String.valueOf(entry.getFileName()));
      }
    } catch (NoSuchFileException e) {
      // The usual case: a site without rules of its own.
    } catch (DirectoryIteratorException e) {
      problem(DIRECTORY, "cannot be listed: " + e.getMessage());
    } catch (IOException e) {
      problem(DIRECTORY, "cannot be listed: " + IoReason.of(e));
    }
    if (names.size() > MAX_FILES) {
      problem(DIRECTORY, "has more than " + MAX_FILES + " rule files; join some");
      names.clear();
    }
    names.sort(null);
    return names;
  }

  private void add(List<String> names, String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (name.startsWith(".") || !(lower.endsWith(SUFFIX) || lower.endsWith(".yml"))) {
      return;
    }
    if (name.endsWith(SUFFIX)) {
      names.add(name);
    } else {
      problem(inside(name), "would not be read; let its name end in " + SUFFIX);
    }
  }

  private void problem(String file, String message) {
    problems.add(new RuleProblem(file, 0, 0, message));
  }

  /** How a file is seen from inside the root. */
  static String inside(String name) {
    return DIRECTORY + "/" + name;
  }

  /** Whether a file is only there to hide the one of that name that comes with the program. */
  boolean isMask(String name) throws IOException {
    Path file = root.resolve(DIRECTORY).resolve(name);
    return Files.isSymbolicLink(file) && Files.readSymbolicLink(file).equals(Path.of("/dev/null"));
  }

  Path path(String name) throws IOException {
    return root.resolve(inside(name));
  }
}
