/**
 * Judges the module sets of a fleet on kernels. The input is the distinct sets of modules that an audit collected, the
 * kernels, and optionally the modules' files. The result is one verdict for each set and kernel. Open
 * {@link dev.weaklink.fleet.judge.AuditJudge} first: it opens one kernel in each thread, and judges each set once for a
 * kernel. {@code PolicyJudge} judges one set with the signature policy of its nodes.
 */
@NullMarked
package dev.weaklink.fleet.judge;

import org.jspecify.annotations.NullMarked;
