package dev.weaklink.tree;

import dev.weaklink.sys.Root;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds module files below a directory as depmod does: in the order the file system lists them,
 * without entries named build or source, through links to files and to directories. Unlike depmod
 * it does not follow a link into a directory it is in already.
 */
final class TreeWalk {
  private static final int MAX_DEPTH = 128;

  /** A link to "/" must not turn a kernel's tree into the whole system. */
  private static final int MAX_DIRECTORIES = 100_000;

  private final Root root;
  private final Set<String> excludes;
  private final List<TreeProblem> problems;
  private final List<ModuleFile> found = new ArrayList<>();
  private final Deque<Path> open = new ArrayDeque<>();
  private int directories;

  TreeWalk(Root root, List<String> excludes, List<TreeProblem> problems) {
    this.root = root;
    this.excludes = new HashSet<>(excludes);
    this.excludes.add("build");
    this.excludes.add("source");
    this.problems = problems;
  }

  /** The files found so far, in the order they were met. */
  List<ModuleFile> found() {
    return found;
  }

  /** Walks a directory, given as seen from inside and as it is on the host, links resolved. */
  void directory(String inside, Path host) {
    if (++directories == MAX_DIRECTORIES || open.size() == MAX_DEPTH) {
      report(inside, "too many or too deep directories; this one and what follows is ignored");
    }
    if (directories >= MAX_DIRECTORIES || open.size() >= MAX_DEPTH) {
      return;
    }
    open.push(host);
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(host)) {
      for (Path entry : entries) {
        entry(inside, entry);
      }
    } catch (IOException | DirectoryIteratorException e) {
      report(inside, "directory cannot be listed" + because(e));
    } finally {
      open.pop();
    }
  }

  private void entry(String directory, Path entry) {
    String name = String.valueOf(entry.getFileName());
    if (excludes.contains(name)) {
      return;
    }
    String inside = directory + "/" + name;
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(entry, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (attributes.isSymbolicLink()) {
        link(inside, name, entry);
      } else if (attributes.isDirectory()) {
        directory(inside, entry);
      } else {
        file(inside, name, entry, attributes);
      }
    } catch (IOException e) {
      if (ModuleNames.isModuleFile(name)) {
        report(
            inside, because(e).isEmpty() ? String.valueOf(e.getMessage()) : "ignored" + because(e));
      }
    }
  }

  private void link(String inside, String name, Path link) throws IOException {
    Path target = followed(link);
    BasicFileAttributes attributes;
    try {
      attributes = Files.readAttributes(target, BasicFileAttributes.class);
    } catch (NoSuchFileException e) {
      if (ModuleNames.isModuleFile(name)) {
        report(inside, "dangling link to " + Files.readSymbolicLink(link) + "; ignored");
      }
      return;
    }
    if (!attributes.isDirectory()) {
      file(inside, name, target, attributes);
    } else if (open.contains(target)) {
      report(inside, "link back to a directory above it; not followed");
    } else {
      directory(inside, target);
    }
  }

  private Path followed(Path link) throws IOException {
    if (root.isHost()) {
      return Files.exists(link) ? link.toRealPath() : link;
    }
    return root.resolve(root.top().relativize(link));
  }

  private void file(String inside, String name, Path file, BasicFileAttributes attributes) {
    if (!ModuleNames.isModuleFile(name)) {
      return;
    }
    if (!attributes.isRegularFile()) {
      report(inside, "not a regular file; ignored");
      return;
    }
    found.add(new ModuleFile(ModuleNames.ofFile(name), inside, file));
  }

  private void report(String inside, String message) {
    problems.add(new TreeProblem(inside, message));
  }

  private static String because(Exception e) {
    return e instanceof AccessDeniedException ? ": permission denied" : "";
  }
}
