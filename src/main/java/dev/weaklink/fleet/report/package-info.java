/** An audit as table, page, JSON, CSV and metrics. */
@NullMarked
package dev.weaklink.fleet.report;

import org.jspecify.annotations.NullMarked;
