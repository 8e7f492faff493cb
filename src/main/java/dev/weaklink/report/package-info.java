/** One renderer per output format. */
@NullMarked
package dev.weaklink.report;

import org.jspecify.annotations.NullMarked;
