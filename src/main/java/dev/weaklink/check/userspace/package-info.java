/**
 * Checks that the RDMA libraries in user space match each other and the kernel's modules. The input is a root with
 * libibverbs and its providers. The result is a {@link dev.weaklink.check.userspace.UserspaceReport} with findings.
 * Open {@link dev.weaklink.check.userspace.UserspaceCheck} first: it looks for libraries as libibverbs and the dynamic
 * linker do. {@code SharedLibraryReader} reads the versions and symbols of an ELF library. No library is loaded.
 */
@NullMarked
package dev.weaklink.check.userspace;

import org.jspecify.annotations.NullMarked;
