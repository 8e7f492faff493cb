package dev.weaklink.source;

import java.nio.file.Path;

/**
 * A file that was found in a root.
 *
 * @param inside its path as seen from inside
 * @param host the path to open, links resolved inside the root
 */
public record FoundFile(String inside, Path host) {}
