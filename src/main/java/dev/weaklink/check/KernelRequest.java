package dev.weaklink.check;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Which kernel's image is meant.
 *
 * @param root the image of a system the kernel is installed in, null for {@code /}
 * @param file the kernel's image as typed, null for that of the installed kernel
 * @param release the installed kernel as typed, null for none if there is a file, else the newest
 */
public record KernelRequest(@Nullable Path root, @Nullable String file, @Nullable String release) {}
