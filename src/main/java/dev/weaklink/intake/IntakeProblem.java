package dev.weaklink.intake;

/**
 * Something in the input that cannot be used; the rest goes on.
 *
 * @param file the file as given or found, or "standard input". Unescaped
 * @param line counted from 1; 0 if it is about the file as a whole
 * @param message what is wrong, one line. Unescaped
 */
public record IntakeProblem(String file, long line, String message) {
  /** File and line, for messages. */
  public String place() {
    return line == 0 ? file : file + ":" + line;
  }
}
