package dev.weaklink.rules.yaml;

/**
 * Why a rule file cannot be used.
 *
 * @param file the file as in {@link dev.weaklink.rules.RuleOrigin}
 * @param line the line, from 1; 0 if it is about the file as a whole
 * @param column the column, from 1; 0 if it is about the file as a whole
 * @param message what is wrong and what to do; may hold anything that is in the file
 */
public record RuleProblem(String file, int line, int column, String message) {
  /** {@code file:line:column: message}, to be escaped before it is shown. */
  @Override
  public String toString() {
    return file + ":" + (line == 0 ? "" : line + ":" + column + ":") + " " + message;
  }
}
