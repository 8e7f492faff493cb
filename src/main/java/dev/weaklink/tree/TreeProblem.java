package dev.weaklink.tree;

/**
 * Something in a tree or its configuration that was passed over.
 *
 * @param subject the path, as seen from inside the root, and a line number where there is one
 * @param message what is wrong with it, in one line
 * @param harmless whether depmod passes over it, too, so that nothing is missing that a kernel
 *     would have
 */
public record TreeProblem(String subject, String message, boolean harmless) {
  /** Something that may be missing. */
  public TreeProblem(String subject, String message) {
    this(subject, message, false);
  }
}
