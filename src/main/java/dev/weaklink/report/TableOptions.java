package dev.weaklink.report;

/**
 * The layout of a table for people.
 *
 * @param columns the width at which lists are wrapped
 * @param color whether to use colours
 * @param verbose whether to print everything
 */
public record TableOptions(int columns, boolean color, boolean verbose) {}
