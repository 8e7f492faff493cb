package dev.weaklink.system.initramfs;

import java.nio.file.Path;

/**
 * An image that exists.
 *
 * @param inside its path as seen from inside the root
 * @param host its path for this process
 * @param style who names images so
 * @param base the name of the kernel's package for {@link ImageStyle#PACKAGE_BASE} and {@link
 *     ImageStyle#PACKAGE_FALLBACK}, else the kernel's release
 */
record ImageFile(String inside, Path host, ImageStyle style, String base) {}
