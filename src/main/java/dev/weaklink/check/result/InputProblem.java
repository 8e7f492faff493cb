package dev.weaklink.check.result;

/**
 * Something given that could not be used.
 *
 * @param subject the argument or file, as given or as found
 * @param message what is wrong with it and what to do, one line
 */
public record InputProblem(String subject, String message) {}
