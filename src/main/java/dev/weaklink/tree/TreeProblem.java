package dev.weaklink.tree;

/**
 * Something in a tree or its configuration that was passed over.
 *
 * @param subject the path, as seen from inside the root, and a line number where there is one
 * @param message what is wrong with it, in one line
 */
public record TreeProblem(String subject, String message) {}
