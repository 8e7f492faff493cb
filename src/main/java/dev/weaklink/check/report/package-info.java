/** A check, an inspection and a kernel's facts as table, JSON and the other forms. */
@NullMarked
package dev.weaklink.check.report;

import org.jspecify.annotations.NullMarked;
