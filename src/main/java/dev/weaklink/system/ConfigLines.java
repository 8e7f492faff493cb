package dev.weaklink.system;

import dev.weaklink.sys.InputProblem;
import dev.weaklink.sys.IoReason;
import dev.weaklink.sys.Root;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * The lines of depmod.d(5) or modprobe.d(5): finds the files in their order, as kmod does
 * (libkmod-config.c: conf_files_list).
 */
public final class ConfigLines {
  /** In order of precedence: a file hides those of the same name in later directories. */
  private static final List<String> DIRECTORIES =
      List.of("/etc/", "/run/", "/usr/local/lib/", "/lib/", "/usr/lib/");

  /** Real ones hold a few lines. */
  private static final long MAX_FILE_SIZE = 1 << 20;

  private final Root root;
  private final List<InputProblem> problems;
  private final BiConsumer<String, String> lines;

  /**
   * Of a root.
   *
   * @param problems takes what cannot be read
   * @param lines takes where each line stands, and the line
   */
  public ConfigLines(Root root, List<InputProblem> problems, BiConsumer<String, String> lines) {
    this.root = root;
    this.problems = problems;
    this.lines = lines;
  }

  /** Reads the directories of this name. */
  public void read(String name) {
    Map<String, String> directoryOf = new TreeMap<>();
    for (String above : DIRECTORIES) {
      for (String file : configFiles(above + name)) {
        directoryOf.putIfAbsent(file, above + name);
      }
    }
    for (Map.Entry<String, String> file : directoryOf.entrySet()) {
      readFile(file.getValue() + "/" + file.getKey());
    }
  }

  private List<String> configFiles(String directory) {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(root.resolve(directory))) {
      for (Path entry : entries) {
        String name = String.valueOf(entry.getFileName());
        if (name.endsWith(".conf") && !name.startsWith(".")) {
          names.add(name);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      // Most systems have one or two of the directories.
    } catch (DirectoryIteratorException e) {
      problems.add(
          new InputProblem(
              directory, "cannot be listed: " + IoReason.of(Objects.requireNonNull(e.getCause()))));
    } catch (IOException e) {
      problems.add(new InputProblem(directory, "cannot be listed: " + IoReason.of(e)));
    }
    return names;
  }

  private void readFile(String inside) {
    try {
      Path file = root.resolve(inside);
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      if (!attributes.isRegularFile()) {
        // Among them a link to /dev/null, the usual way to hide a file of a later directory.
        return;
      }
      if (attributes.size() > MAX_FILE_SIZE) {
        problems.add(new InputProblem(inside, "too large for a configuration file; ignored"));
        return;
      }
      parse(inside, new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
    } catch (IOException e) {
      problems.add(new InputProblem(inside, "cannot be read: " + IoReason.of(e)));
    }
  }

  private void parse(String inside, String text) throws IOException {
    BufferedReader reader = new BufferedReader(new StringReader(text));
    int number = 0;
    String line = reader.readLine();
    while (line != null) {
      int first = ++number;
      StringBuilder joined = new StringBuilder();
      while (line != null && line.endsWith("\\")) {
        joined.append(line, 0, line.length() - 1);
        line = reader.readLine();
        number++;
      }
      lines.accept(inside + ":" + first, joined.append(line == null ? "" : line).toString());
      line = reader.readLine();
    }
  }
}
