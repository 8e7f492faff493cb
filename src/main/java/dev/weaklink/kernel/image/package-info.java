/**
 * Reads kernel images without booting them. The input is the bytes of a vmlinux, a vmlinuz, or the image of another
 * architecture, packed or not. The result is a {@link dev.weaklink.kernel.image.KernelImage}: release, vermagic,
 * exports with CRCs, types (BTF), built-in names, and traces of the module loader. Open
 * {@link dev.weaklink.kernel.image.ImageReader} first. {@code ContentsFinder} unpacks the kernel. {@code NamedTables}
 * finds the export tables by the names of sections, and {@code ScannedTables} by their contents. Searches and unpacking
 * have limits, because an image may be corrupt or hostile.
 */
@NullMarked
package dev.weaklink.kernel.image;

import org.jspecify.annotations.NullMarked;
