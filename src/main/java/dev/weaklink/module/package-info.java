/**
 * The facts of one built kernel module, as the kernel's loader reads them. The input is the uncompressed bytes of a
 * module file, and the output is an immutable {@link dev.weaklink.module.KernelModule}. Damaged files give facts, too:
 * each defect is an entry in {@code KernelModule.defects}. Open {@link dev.weaklink.module.ModuleReader} first.
 */
@NullMarked
package dev.weaklink.module;

import org.jspecify.annotations.NullMarked;
