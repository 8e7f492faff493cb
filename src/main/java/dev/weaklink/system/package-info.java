/**
 * Finds modules and kernels below a root directory or in packages. The input is a {@link dev.weaklink.sys.Root} and the
 * arguments of a command. The results are names and paths of files: module trees, files of kernels, and the state of
 * DKMS and rpm. Open {@link dev.weaklink.system.ModuleTree} first: it lists the module files of one kernel and chooses
 * among them as depmod does. {@link dev.weaklink.system.InstalledModules} covers all kernels below a root directory,
 * {@code KernelFileSearch} finds a kernel's files, and {@link dev.weaklink.system.GivenPackages} reads packages.
 * {@link dev.weaklink.system.ModuleArguments} translates arguments into modules. The package {@code module} reads the
 * facts inside a module file.
 */
@NullMarked
package dev.weaklink.system;

import org.jspecify.annotations.NullMarked;
