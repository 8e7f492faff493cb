package dev.weaklink.system;

/**
 * Modules that belong together.
 *
 * @param file the package or directory, as found
 * @param packaged whether it is a package
 */
public record Build(String file, boolean packaged) implements Comparable<Build> {
  @Override
  public int compareTo(Build other) {
    return file.compareTo(other.file);
  }
}
