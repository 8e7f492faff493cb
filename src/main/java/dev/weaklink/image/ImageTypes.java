package dev.weaklink.image;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The types (BTF) in a kernel's image.
 *
 * @param release the kernel's release (uname -r)
 * @param section its BTF section; null if it has none
 */
public record ImageTypes(String release, @Nullable ByteBuffer section) {}
