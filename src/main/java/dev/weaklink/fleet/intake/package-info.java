/**
 * Reads what nodes report about themselves. The input is the output of {@code weaklink-collect}, as pdsh, clush,
 * Ansible, Salt and similar programs print it. The result is one {@code NodeInventory} for each node, passed to
 * {@link dev.weaklink.fleet.Audit}. Open {@link dev.weaklink.fleet.intake.Intake} first: it opens files, directories
 * and standard input. {@code TextIntake} reads lines and {@code DocumentIntake} reads JSON. Input is streamed: at most
 * one line or one string is buffered. A node that reports nothing usable becomes a reason in {@code MissingNodes}.
 */
@NullMarked
package dev.weaklink.fleet.intake;

import org.jspecify.annotations.NullMarked;
