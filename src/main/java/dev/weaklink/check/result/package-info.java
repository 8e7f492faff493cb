/**
 * The results of checks. {@link dev.weaklink.check.result.CheckReport}, the class to open first, contains the verdicts
 * of modules on kernels, and all problems. {@link dev.weaklink.check.result.GateReport} answers for each kernel whether
 * it can be booted, and {@link dev.weaklink.check.result.MatrixReport} contains the results for many kernels.
 * {@link dev.weaklink.check.result.ReasonGroup} groups modules that fail for one reason, and
 * {@link dev.weaklink.check.result.FewestCauses} chooses the causes to show. {@link dev.weaklink.check.result.ExitCode}
 * is the exit status of a result. The classes do no input or output.
 */
@NullMarked
package dev.weaklink.check.result;

import org.jspecify.annotations.NullMarked;
