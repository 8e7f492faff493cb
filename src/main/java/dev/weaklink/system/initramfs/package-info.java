/**
 * Reads the modules that an initramfs contains, and compares them with the installed ones. The input is a kernel
 * release and a root. The result is a list of differences and the command that renews the image, for initramfs-tools,
 * dracut and others. Open {@link dev.weaklink.system.initramfs.InitramfsComparison} first.
 * {@link dev.weaklink.system.initramfs.InstalledImages} finds the images of kernels,
 * {@link dev.weaklink.system.initramfs.InitramfsImage} reads one, and
 * {@link dev.weaklink.system.initramfs.InitramfsPlanner} decides which must be renewed. Nothing here changes an image.
 */
@NullMarked
package dev.weaklink.system.initramfs;

import org.jspecify.annotations.NullMarked;
