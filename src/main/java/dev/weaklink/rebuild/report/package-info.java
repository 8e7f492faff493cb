/** Renders plans with their rebuilds, and rebuilds, as text and JSON. */
@NullMarked
package dev.weaklink.rebuild.report;

import org.jspecify.annotations.NullMarked;
