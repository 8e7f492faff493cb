/**
 * What came of audits, kept in one SQLite file: which node had which modules from when to when, and
 * what was wrong with them. It grows with what changes, and not with nodes times audits.
 */
@NullMarked
package dev.weaklink.history;

import org.jspecify.annotations.NullMarked;
