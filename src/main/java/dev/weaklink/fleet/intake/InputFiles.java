package dev.weaklink.fleet.intake;

import dev.weaklink.fleet.nodeset.NodeSet;
import dev.weaklink.sys.IoReason;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The files that are meant by a path, with the name each gives to a node that reports none. */
final class InputFiles {
  /** Deeper than Ansible's fetch puts a file whose path is of usual length. */
  private static final int MAX_DEPTH = 32;

  private static final int MAX_FILES = 1 << 20;

  private static final List<String> ENDINGS =
      List.of(".gz", ".xz", ".zst", ".json", ".ndjson", ".jsonl", ".txt", ".out", ".log");

  /**
   * A file.
   *
   * @param node the name that its place in a directory gives, or null
   */
  record InputFile(Path path, @Nullable String node) {}

  private final Receiver receiver;
  private final List<InputFile> files = new ArrayList<>();

  private InputFiles(Receiver receiver) {
    this.receiver = receiver;
  }

  /**
   * The file itself, or all files below a directory, sorted. Links in it are not followed: what
   * lies there was written by others.
   */
  static List<InputFile> of(Path path, Receiver receiver) {
    if (!Files.isDirectory(path)) {
      return List.of(new InputFile(path, null));
    }
    InputFiles found = new InputFiles(receiver);
    found.addAll(path, null, 0);
    if (found.files.isEmpty()) {
      receiver.begin(path.toString());
      receiver.problem(0, "holds no files");
    }
    return found.files;
  }

  private void addAll(Path directory, @Nullable String host, int depth) {
    for (Path path : sorted(directory)) {
      receiver.begin(path.toString());
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        if (depth == MAX_DEPTH) {
          receiver.problem(0, "lies too deep; skipped");
        } else {
          addAll(path, host != null ? host : name(path.getFileName().toString()), depth + 1);
        }
      } else if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
        receiver.problem(0, "is not a regular file; links are not followed here");
      } else if (files.size() == MAX_FILES) {
        receiver.problem(0, "is one more than " + MAX_FILES + " files; skipped");
      } else {
        files.add(new InputFile(path, host != null ? host : nameOf(path)));
      }
    }
  }

  private List<Path> sorted(Path directory) {
    List<Path> paths = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(paths::add);
    } catch (DirectoryIteratorException e) {
      IOException cause = e.getCause();
      report(directory, cause == null ? new IOException("cannot be listed", e) : cause);
    } catch (IOException e) {
      report(directory, e);
    }
    Collections.sort(paths);
    return paths;
  }

  private void report(Path directory, IOException e) {
    receiver.begin(directory.toString());
    receiver.problem(0, "cannot be read: " + IoReason.of(e));
  }

  /** A file's name without the endings for its format: clush --outdir writes none. */
  private static @Nullable String nameOf(Path file) {
    String name = file.getFileName().toString();
    for (boolean shorter = true; shorter; ) {
      shorter = false;
      for (String ending : ENDINGS) {
        if (name.endsWith(ending)) {
          name = name.substring(0, name.length() - ending.length());
          shorter = true;
        }
      }
    }
    return name(name);
  }

  private static @Nullable String name(String text) {
    return NodeSet.isName(text) ? text : null;
  }
}
