package dev.weaklink.report;

/**
 * The layout of the output format {@link Format#TABLE}, a text for people.
 *
 * @param columns the width in characters at which text is wrapped
 * @param color whether to use colours
 * @param verbose whether to print everything
 */
public record TableOptions(int columns, boolean color, boolean verbose) {}
