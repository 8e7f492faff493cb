package dev.weaklink.source;

/**
 * Something given or found that cannot be used; the rest of the input goes on.
 *
 * @param subject what it is about: a path as given, or as seen from inside the root. Unescaped
 * @param message what is wrong with it, in one line
 */
public record InputProblem(String subject, String message) {}
