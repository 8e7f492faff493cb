/**
 * Checks modules against kernels, from arguments to verdicts. The input is a {@link dev.weaklink.check.CheckRequest},
 * and the result is a {@link dev.weaklink.check.result.CheckReport}. Open {@link dev.weaklink.check.Checker} first: it
 * judges the modules of a {@code CheckInput} on each kernel, adds notes and causes, and stores the kernels if the
 * request names a store. {@code ModuleFacts} reads module files on several threads, {@code TargetReader} makes a
 * {@link dev.weaklink.check.CheckTarget} of a kernel's files, and {@code Judge} applies the loader's rules.
 * {@link dev.weaklink.check.KernelMatrix} judges many kernels, {@link dev.weaklink.check.Gate} answers whether a reboot
 * is safe, and {@link dev.weaklink.check.SingleModule} inspects one file.
 */
@NullMarked
package dev.weaklink.check;

import org.jspecify.annotations.NullMarked;
