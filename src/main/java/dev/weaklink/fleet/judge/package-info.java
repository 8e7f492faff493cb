/**
 * Judges the module sets of a fleet on kernels. The input is the distinct sets of modules that an audit collected, the
 * kernels, and optionally the modules' files. The result is a verdict for each set that can exist on a kernel. Open
 * {@link dev.weaklink.fleet.judge.AuditJudge} first: it opens the kernels in several threads, and judges equal sets
 * once on each kernel. {@code PolicyJudge} judges one set with the signature policy of its nodes.
 */
@NullMarked
package dev.weaklink.fleet.judge;

import org.jspecify.annotations.NullMarked;
