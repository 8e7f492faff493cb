package dev.weaklink.links;

import dev.weaklink.sys.Root;
import dev.weaklink.tree.ModulesDirectory;
import dev.weaklink.tree.WeakUpdates;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A path in some kernel's {@code weak-updates}, that directory itself, or {@link Change#OVERRIDES}:
 * the only places where transactions change anything.
 *
 * @param text as seen from inside the root
 * @param kernel the kernel whose link it is
 * @param host the path on the host; below the kernel's directory it must not pass links, which
 *     {@link #checkWay} makes sure of
 */
record LinkPath(String text, KernelDirectory kernel, Path host) {
  private static final String OVERRIDES_DIRECTORY = "/etc/depmod.d";
  private static final int MODE_BITS = 07777;
  private static final int MAX_TEXT = 1 << 20;

  /**
   * Understands a path.
   *
   * @throws NoSuchKernelException if its kernel is not there
   * @throws IOException if it is not one where links may be changed
   */
  static LinkPath parse(Root root, String text) throws IOException {
    if (text.equals(Change.OVERRIDES) || text.equals(OVERRIDES_DIRECTORY)) {
      Path etc = root.resolve("/etc").toRealPath();
      Path host = etc.resolve(text.substring("/etc/".length()));
      return new LinkPath(text, new KernelDirectory("", etc), host);
    }
    for (String parent : ModulesDirectory.PARENTS) {
      if (text.startsWith(parent + "/")) {
        return parse(root, text, parent);
      }
    }
    throw new IOException(text + " is not below weak-updates of a kernel's directory");
  }

  private static LinkPath parse(Root root, String text, String parent) throws IOException {
    String[] names = text.substring(parent.length() + 1).split("/", -1);
    if (names.length < 2 || !names[1].equals(WeakUpdates.NAME)) {
      throw new IOException(text + " is not below weak-updates of a kernel's directory");
    }
    KernelDirectory kernel = KernelDirectory.below(root, parent, names[0]);
    if (kernel == null) {
      throw new NoSuchKernelException(parent, names[0]);
    }
    Path host = kernel.host();
    try {
      for (int i = 1; i < names.length; i++) {
        checkName(text, names[i]);
        host = host.resolve(names[i]);
      }
    } catch (InvalidPathException e) {
      throw new IOException(text + " is not a valid path", e);
    }
    return new LinkPath(text, kernel, host);
  }

  private static void checkName(String text, String name) throws IOException {
    if (name.isEmpty()
        || name.equals(".")
        || name.equals("..")
        || name.startsWith(WeakUpdates.TEMPORARY)) {
      throw new IOException(text + " is not a plain path");
    }
  }

  /** Whether it is a text that belongs there, not a link. */
  boolean isText() {
    return text.equals(Change.OVERRIDES);
  }

  /** Whether this is {@code weak-updates} itself. */
  boolean isTop() {
    return kernel.host().equals(host.getParent());
  }

  /** The directory it is in; {@code weak-updates} has none that concerns us. */
  LinkPath parent() {
    if (isTop()) {
      throw new IllegalStateException(text + " has no parent");
    }
    return new LinkPath(text.substring(0, text.lastIndexOf('/')), kernel, host.resolveSibling(""));
  }

  /** The directories above it, {@code weak-updates} first. */
  List<LinkPath> parents() {
    List<LinkPath> parents = new ArrayList<>();
    for (LinkPath at = this; !at.isTop(); ) {
      at = at.parent();
      parents.add(0, at);
    }
    return parents;
  }

  /**
   * Makes sure that what is there on the way to it are directories, and no links to them.
   *
   * @throws IOException naming the one that is not
   */
  void checkWay() throws IOException {
    for (LinkPath directory : parents()) {
      if (!Files.exists(directory.host, LinkOption.NOFOLLOW_LINKS)) {
        return;
      }
      if (!Files.isDirectory(directory.host, LinkOption.NOFOLLOW_LINKS)) {
        boolean link = Files.isSymbolicLink(directory.host);
        throw new IOException(
            directory.text + " is a " + (link ? "symbolic link" : "file") + ", not a directory");
      }
    }
  }

  /**
   * What is there now.
   *
   * @throws IOException if it is neither a link nor a directory, or the way to it is not in order
   */
  PathState state() throws IOException {
    checkWay();
    Map<String, Object> attributes;
    try {
      attributes =
          Files.readAttributes(
              host, "unix:isSymbolicLink,isDirectory,mode", LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return PathState.ABSENT;
    }
    if (Boolean.TRUE.equals(attributes.get("isSymbolicLink"))) {
      return new PathState.Link(target());
    }
    if (Boolean.TRUE.equals(attributes.get("isDirectory"))
        && attributes.get("mode") instanceof Integer mode) {
      return new PathState.Directory(mode & MODE_BITS);
    }
    if (isText() && Files.isRegularFile(host, LinkOption.NOFOLLOW_LINKS)) {
      return new PathState.Text(content());
    }
    throw new IOException(text + " is a file, not a symbolic link");
  }

  private String content() throws IOException {
    try (InputStream in = Files.newInputStream(host)) {
      byte[] bytes = in.readNBytes(MAX_TEXT + 1);
      if (bytes.length > MAX_TEXT) {
        throw new IOException(text + " is larger than " + MAX_TEXT + " bytes");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private String target() throws IOException {
    String target = Files.readSymbolicLink(host).toString();
    if (target.indexOf('\uFFFD') >= 0) {
      throw new FileSystemException(text, null, "the link's target is not valid text");
    }
    return plain(target);
  }

  /** A link's text as Java writes it: without doubled slashes and one at the end. */
  static String plain(String target) {
    return Path.of(target).toString();
  }

  /** A name for a link beside it that is not yet, or no longer, in its place. */
  Path temporary(String name) {
    return host.resolveSibling(WeakUpdates.TEMPORARY + name);
  }
}
