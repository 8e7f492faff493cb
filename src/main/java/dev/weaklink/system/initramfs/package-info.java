/** Which modules an initramfs holds, and the command that renews it. */
@NullMarked
package dev.weaklink.system.initramfs;

import org.jspecify.annotations.NullMarked;
