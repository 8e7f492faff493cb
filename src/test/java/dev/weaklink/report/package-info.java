@NullMarked
package dev.weaklink.report;

import org.jspecify.annotations.NullMarked;
