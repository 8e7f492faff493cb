package dev.weaklink.rebuild;

import java.util.List;

/** Where a build that ended well has left its results; looked up, not believed. */
public sealed interface ExpectedOutput {
  /**
   * A file that it names in what it prints.
   *
   * @param prefix what stands before the path
   */
  record Printed(String prefix) implements ExpectedOutput {}

  /**
   * Files of certain places and names.
   *
   * @param directories absolute paths of where to look, at any depth
   * @param name what their names start with; may be empty
   * @param endings what their names end with, one of these
   * @param fresh whether only files count that came to be meanwhile
   */
  record Files(List<String> directories, String name, List<String> endings, boolean fresh)
      implements ExpectedOutput {
    public Files {
      directories = List.copyOf(directories);
      endings = List.copyOf(endings);
    }

    /** Of which only fresh ones count. */
    public Files(List<String> directories, String name, List<String> endings) {
      this(directories, name, endings, true);
    }
  }
}
