/** The modules in an initramfs, and the commands that renew it. */
@NullMarked
package dev.weaklink.system.initramfs;

import org.jspecify.annotations.NullMarked;
