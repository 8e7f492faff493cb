/** Reads rule files: those that come with the program, and those in {@code /etc/weaklink}. */
@NullMarked
package dev.weaklink.rules.yaml;

import org.jspecify.annotations.NullMarked;
