package dev.weaklink.links.plan;

import org.jspecify.annotations.Nullable;

/**
 * One link that is to be made, changed or removed.
 *
 * @param path the link's path as seen from inside the root
 * @param before what is written in it now, null if it is not there
 * @param after what is to be written in it, null if it is to go
 */
public record LinkEdit(String path, @Nullable String before, @Nullable String after) {}
