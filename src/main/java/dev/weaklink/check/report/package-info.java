/**
 * Renders checks, matrices, inspections and kernels in the output formats. Open
 * {@link dev.weaklink.check.report.CheckTable} for text for people and {@link dev.weaklink.check.report.CheckJson} for
 * JSON. {@link dev.weaklink.check.report.ModuleForms} writes JUnit, Markdown and CSV from
 * {@link dev.weaklink.check.report.ModuleResults}. {@link dev.weaklink.check.report.GateText} answers whether a reboot
 * is safe, and {@link dev.weaklink.check.report.MatrixForms} renders builds by kernels.
 */
@NullMarked
package dev.weaklink.check.report;

import org.jspecify.annotations.NullMarked;
