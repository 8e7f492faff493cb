/**
 * The model of a kernel, as far as loading modules depends on it: its exports and the rules of its loader. The input is
 * a Module.symvers, a build configuration, the facts from a kernel image, and the kernel's own modules. The result is a
 * {@link dev.weaklink.kernel.TargetKernel}, the class to open first. {@link dev.weaklink.kernel.SymversReader} reads
 * the exports into an {@link dev.weaklink.kernel.ExportTable}. {@link dev.weaklink.kernel.LoaderBehaviorReader} derives
 * the {@link dev.weaklink.kernel.LoaderBehavior} from all evidence and marks each rule that is only assumed.
 * {@link dev.weaklink.kernel.KernelReleaseOrder} orders releases from old to new. The package opens no files.
 */
@NullMarked
package dev.weaklink.kernel;

import org.jspecify.annotations.NullMarked;
