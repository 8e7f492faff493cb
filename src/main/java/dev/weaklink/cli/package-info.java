/** One picocli command per class: parse, call, render, exit code. */
@NullMarked
package dev.weaklink.cli;

import org.jspecify.annotations.NullMarked;
