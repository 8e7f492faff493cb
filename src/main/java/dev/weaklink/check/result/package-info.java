/** What a check, a match and a gate find out, and how reasons are grouped: pure. */
@NullMarked
package dev.weaklink.check.result;

import org.jspecify.annotations.NullMarked;
