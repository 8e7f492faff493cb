/**
 * Runs the command lines of weak-modules (Red Hat) and weak-modules2 (SUSE), with verdicts of weaklink's own loader.
 * The input is the arguments of the original scripts and lists of modules on standard input. The result is a set of
 * changes to links, which {@code links.transaction} carries out, and the messages that the scripts would print. Open
 * {@link dev.weaklink.compat.RedHatDialect} or {@link dev.weaklink.compat.SuseDialect} first. {@code RedHatRun} and
 * {@code SuseRun} decide each call. {@code LinkDraft} and {@code KmpDraft} try links in memory, and
 * {@code DialectCommit} writes the result as one transaction.
 */
@NullMarked
package dev.weaklink.compat;

import org.jspecify.annotations.NullMarked;
