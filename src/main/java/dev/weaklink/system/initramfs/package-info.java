/**
 * Reads the modules that an initramfs image contains, and compares them with the installed modules. The input is a
 * kernel release and a root directory. The result is a list of differences and the command that renews the image, for
 * initramfs-tools, dracut and mkinitcpio. Open {@link dev.weaklink.system.initramfs.InitramfsComparison} first.
 * {@link dev.weaklink.system.initramfs.InstalledImages} finds the images of a kernel,
 * {@link dev.weaklink.system.initramfs.InitramfsImage} reads an image, and
 * {@link dev.weaklink.system.initramfs.InitramfsPlanner} chooses the images to renew. Nothing here changes an image.
 */
@NullMarked
package dev.weaklink.system.initramfs;

import org.jspecify.annotations.NullMarked;
