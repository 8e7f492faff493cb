package dev.weaklink.report;

/**
 * How a table for people looks.
 *
 * @param columns width to wrap lists at
 * @param color whether to use colours
 * @param verbose leave nothing out
 */
public record TableOptions(int columns, boolean color, boolean verbose) {}
