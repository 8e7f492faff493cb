/**
 * Judges whether a kernel would load modules. The input is a {@link dev.weaklink.kernel.TargetKernel} and the
 * {@link dev.weaklink.module.KernelModule} facts of some modules. The output is one {@link dev.weaklink.loader.Verdict}
 * for each module, with findings in the order of the kernel's own checks. Open {@code Loader} first: it is the list of
 * the loader's steps. {@link dev.weaklink.loader.LoadSet} judges modules together, because they export symbols to each
 * other. {@link dev.weaklink.loader.FindingKind} lists every finding. Pure: the same input gives the same verdicts, and
 * no class reads the machine's files. If a fact is missing, the verdict is undetermined, or lists the checks that were
 * not made and the rules that were assumed.
 */
@NullMarked
package dev.weaklink.loader;

import org.jspecify.annotations.NullMarked;
