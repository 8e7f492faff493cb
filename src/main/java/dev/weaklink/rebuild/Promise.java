package dev.weaklink.rebuild;

import java.util.List;

/** Where a build that ended well has left its results; looked up, not believed. */
public sealed interface Promise {
  /**
   * A file that it names in what it prints.
   *
   * @param prefix what stands before the path
   */
  record Printed(String prefix) implements Promise {}

  /**
   * Files that came to be meanwhile.
   *
   * @param directories absolute paths of where to look, at any depth
   * @param name what their names start with; may be empty
   * @param endings what their names end with, one of these
   */
  record Files(List<String> directories, String name, List<String> endings) implements Promise {
    public Files {
      directories = List.copyOf(directories);
      endings = List.copyOf(endings);
    }
  }
}
