/**
 * The command line: one class for each command, with its options, its request, the renderer of its result, and its exit
 * status. Open {@link dev.weaklink.cli.Main} first, then {@code Weaklink}, which builds only the requested command.
 * {@code CommandTree} lists all commands. The texts of help and manual pages are in {@code src/main/resources/help};
 * {@code CommandText} reads them. Only this package uses picocli.
 */
@NullMarked
package dev.weaklink.cli;

import org.jspecify.annotations.NullMarked;
