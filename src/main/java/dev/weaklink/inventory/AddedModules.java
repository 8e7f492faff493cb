package dev.weaklink.inventory;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the modules of one kernel that did not come with it, sorted by path. */
final class AddedModules {
  private static final List<String> PLACES = List.of("extra", "updates", "weak-updates");
  private static final List<String> ENDINGS = List.of(".ko", ".ko.gz", ".ko.xz", ".ko.zst");

  /** Two hundred times what a whole kernel has. */
  private static final int MOST_ENTRIES = 1 << 20;

  private final ImageFiles files;
  private final KernelDirectory kernel;
  private final Problems problems;
  private final List<AddedModule> modules = new ArrayList<>();
  private int entries;

  private AddedModules(ImageFiles files, KernelDirectory kernel, Problems problems) {
    this.files = files;
    this.kernel = kernel;
    this.problems = problems;
  }

  static List<AddedModule> of(ImageFiles files, KernelDirectory kernel, Problems problems) {
    AddedModules found = new AddedModules(files, kernel, problems);
    for (String place : PLACES) {
      Path inside = kernel.inside().resolve(place);
      Path top = files.directory(inside);
      if (top != null) {
        found.search(PathBytes.of(inside), top);
      }
    }
    return found.modules;
  }

  private void search(String inside, Path top) {
    Map<String, Path> found = new TreeMap<>();
    boolean complete = true;
    boolean lineBreak = false;
    Deque<Path> pending = new ArrayDeque<>(List.of(top));
    int prefix = PathBytes.of(top).length();
    while (!pending.isEmpty()) {
      Path directory = pending.pop();
      try (DirectoryStream<Path> children = Files.newDirectoryStream(directory)) {
        for (Path child : children) {
          String below = PathBytes.of(child).substring(prefix);
          if (below.indexOf('\n') >= 0) {
            lineBreak = true;
          } else if (Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
            pending.push(child);
          } else if (++entries <= MOST_ENTRIES) {
            found.put(below, child);
          } else {
            complete = false;
          }
        }
      } catch (IOException | DirectoryIteratorException e) {
        complete = false;
      }
    }
    report(inside, complete, lineBreak);
    found.forEach((below, path) -> take(inside + below, path));
  }

  private void report(String inside, boolean complete, boolean lineBreak) {
    if (!complete) {
      problems.add(inside, "not all of it can be searched");
    }
    if (lineBreak) {
      problems.add(inside, "files with a line break in their path were left out");
    }
  }

  private void take(String path, Path host) {
    boolean isModule = isModule(path.substring(path.lastIndexOf('/') + 1));
    if (Files.isSymbolicLink(host)) {
      takeLink(path, host, isModule);
    } else if (isModule && Files.isRegularFile(host)) {
      modules.add(new AddedModule(kernel.release(), path, null, null, host));
    } else if (isModule) {
      problems.add(path, "not a regular file");
    }
  }

  private static boolean isModule(String name) {
    for (String ending : ENDINGS) {
      if (name.endsWith(ending)) {
        return !name.startsWith(".");
      }
    }
    return false;
  }

  private void takeLink(String path, Path host, boolean isModule) {
    Path written;
    try {
      written = Files.readSymbolicLink(host);
    } catch (IOException e) {
      problems.add(path, "cannot be read");
      return;
    }
    Path directory = host.getParent();
    Path start = directory == null ? host : directory;
    Path end = files.find(files.inside(start).resolve(tidied(written)));
    if (end != null && Files.isDirectory(end)) {
      problems.add(path, "link to a directory; not gone into");
    } else if (isModule) {
      modules.add(link(path, PathBytes.of(written), end));
      if (end != null && Files.exists(end) && !Files.isRegularFile(end)) {
        problems.add(path, "link to what is not a regular file");
      }
    }
  }

  /** With one slash between names; names of links are not tidied when they are read. */
  private static Path tidied(Path written) {
    String text = written.toString();
    return text.contains("//") && PathBytes.isAscii(text) ? Path.of(text) : written;
  }

  private AddedModule link(String path, String written, @Nullable Path end) {
    if (end == null || !Files.isRegularFile(end)) {
      return new AddedModule(kernel.release(), path, written, null, null);
    }
    return new AddedModule(kernel.release(), path, written, PathBytes.of(files.inside(end)), end);
  }
}
