/**
 * Stores kernels, so that modules can be checked after a kernel's files are no longer available. The input is a
 * {@link dev.weaklink.kernel.TargetKernel} and optionally its types (BTF). The result is a compressed file whose name
 * contains a digest of its contents. Open {@link dev.weaklink.kernel.store.KernelStore} first. {@code KernelArchive}
 * defines the format of a file, and {@code SharedExports} is a file of exports that kernels of a series share.
 * {@link dev.weaklink.kernel.store.StoreTransfer} copies a store to and from a registry or an OCI layout.
 */
@NullMarked
package dev.weaklink.kernel.store;

import org.jspecify.annotations.NullMarked;
