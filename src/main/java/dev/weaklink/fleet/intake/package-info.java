/**
 * Reads the inventories that nodes report. The input is the output of {@code weaklink-collect}, as pdsh, clush,
 * Ansible, Salt and similar programs print it. These programs are called the transport. The result is a
 * {@code NodeInventory} for each node. Open {@link dev.weaklink.fleet.intake.Intake} first: it opens files, directories
 * and standard input. {@code TextIntake} reads lines and {@code DocumentIntake} reads JSON. Input is streamed: no input
 * is held in memory as a whole. For a node that reports nothing usable, {@code MissingNodes} records the reason.
 */
@NullMarked
package dev.weaklink.fleet.intake;

import org.jspecify.annotations.NullMarked;
