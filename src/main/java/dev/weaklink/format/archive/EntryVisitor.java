package dev.weaklink.format.archive;

import java.io.IOException;

/** What is to be done with the entries of a package. */
public interface EntryVisitor {
  /**
   * Whether the entry of this normalised path is to be visited. Where packages list their files in
   * front, one without any wanted file is not even decompressed. May be asked several times.
   */
  boolean wants(String path);

  /**
   * Whether a package inside a bundle is visited as the file it is, instead of the entries in it.
   */
  default boolean wantsPackage(String path) {
    return false;
  }

  /** Takes a wanted entry. A path met again replaces the one met before. */
  void visit(PackageEntry entry) throws IOException;

  /**
   * Takes what was left out.
   *
   * @param subject the entry's name, unescaped; empty for the package itself
   * @param message what is wrong with it, in one line
   */
  void problem(String subject, String message);
}
