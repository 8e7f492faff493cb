/** Renders a check, a module and a kernel's facts as a table, as JSON and in other formats. */
@NullMarked
package dev.weaklink.check.report;

import org.jspecify.annotations.NullMarked;
