package dev.weaklink.source;

import dev.weaklink.tree.TreeProblem;

/**
 * Something given or found that cannot be used; the rest of the input goes on.
 *
 * @param subject what it is about: a path as given, or as seen from inside the root. Unescaped
 * @param message what is wrong with it, in one line
 */
public record InputProblem(String subject, String message) {
  /** One of a tree of modules. */
  public static InputProblem of(TreeProblem met) {
    return new InputProblem(met.subject(), met.message());
  }
}
