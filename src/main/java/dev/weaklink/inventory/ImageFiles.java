package dev.weaklink.inventory;

import dev.weaklink.sys.Root;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks below a root; what cannot be reached or read is as if it were not there. */
final class ImageFiles {
  static final Comparator<Path> BY_BYTES = Comparator.comparing(PathBytes::of);

  private static final Path SLASH = Path.of("/");

  /** More than any line of those that are read one by one. */
  private static final int LONGEST_LINE = 64 << 10;

  private final Root root;

  ImageFiles(Root root) {
    this.root = root;
  }

  /** Where a path seen from inside leads, all links followed; null for links in circles. */
  @Nullable Path find(Path inside) {
    try {
      Path found = root.resolve(inside);
      return root.isHost() && Files.exists(found) ? found.toRealPath() : found;
    } catch (IOException e) {
      return null;
    }
  }

  @Nullable Path find(String inside) {
    return find(Path.of(inside));
  }

  /** A directory, links followed; null if it is none. */
  @Nullable Path directory(Path inside) {
    Path found = find(inside);
    return found != null && Files.isDirectory(found) ? found : null;
  }

  @Nullable Path directory(String inside) {
    return directory(Path.of(inside));
  }

  /** A regular file that may be read, links followed; null if it is none. */
  @Nullable Path file(Path inside) {
    Path found = find(inside);
    return found != null && Files.isRegularFile(found) && Files.isReadable(found) ? found : null;
  }

  boolean exists(Path inside) {
    Path found = find(inside);
    return found != null && Files.exists(found);
  }

  /** A path of the host below the root, as a path seen from inside. */
  Path inside(Path host) {
    return root.isHost() ? host : SLASH.resolve(root.top().relativize(host));
  }

  /** The first line of a file, without its line feed; null if there is none to be read. */
  @Nullable String firstLine(String inside) {
    return firstLine(Path.of(inside));
  }

  @Nullable String firstLine(Path inside) {
    Path file = file(inside);
    if (file == null) {
      return null;
    }
    StringBuilder line = new StringBuilder();
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      for (int c = in.read(); c != '\n'; c = in.read()) {
        if (c < 0) {
          return line.isEmpty() ? null : line.toString();
        }
        if (c != 0 && line.length() < LONGEST_LINE) {
          line.append((char) c);
        }
      }
      return line.toString();
    } catch (IOException e) {
      return null;
    }
  }

  /** Names in a directory of the host, sorted; not hidden ones, nor those with a line break. */
  static List<Path> names(Path directory) {
    List<Path> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        Path name = entry.getFileName();
        String text = PathBytes.of(name);
        if (!text.startsWith(".") && text.indexOf('\n') < 0) {
          names.add(name);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      // What was listed so far is there.
    }
    names.sort(BY_BYTES);
    return names;
  }

  /** Those of the names that are directories and no links. */
  static List<Path> directories(Path directory) {
    List<Path> names = names(directory);
    names.removeIf(name -> !Files.isDirectory(directory.resolve(name), LinkOption.NOFOLLOW_LINKS));
    return names;
  }

  /** The lines of a file, one byte a character; none if it cannot be read or is too long. */
  static List<String> lines(@Nullable Path file, long longest) {
    List<String> lines = new ArrayList<>();
    if (file == null) {
      return lines;
    }
    try {
      if (Files.size(file) <= longest) {
        split(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1), lines);
      }
    } catch (IOException e) {
      // as if it were not there
    }
    return lines;
  }

  /** A carriage return ends no line here. */
  private static void split(String text, List<String> lines) {
    int start = 0;
    for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      lines.add(text.substring(start, end));
      start = end + 1;
    }
    if (start < text.length()) {
      lines.add(text.substring(start));
    }
  }
}
