/** Renders plans, links and their history as text and JSON. */
@NullMarked
package dev.weaklink.links.report;

import org.jspecify.annotations.NullMarked;
