package dev.weaklink.format.archive;

import dev.weaklink.sys.UnreadableException;
import java.io.IOException;

/** The files of a container image by their paths, which begin with a slash. */
interface ImageFiles {
  /** Whether there is such a file. */
  boolean has(String path) throws IOException;

  /**
   * Opens a file.
   *
   * @throws UnreadableException if there is none
   */
  ImageMember open(String path) throws IOException;
}
