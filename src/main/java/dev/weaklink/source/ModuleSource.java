package dev.weaklink.source;

import java.nio.file.Path;

/**
 * A module file to be judged.
 *
 * @param host the path to open
 * @param display its path as given, or as found below what was given, or as seen from inside the
 *     root. Unescaped
 */
public record ModuleSource(Path host, String display) {}
