@NullMarked
package dev.weaklink.cli;

import org.jspecify.annotations.NullMarked;
