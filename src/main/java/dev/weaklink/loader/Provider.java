package dev.weaklink.loader;

/**
 * A module that another one takes symbols from.
 *
 * @param name module name
 * @param file its file
 * @param given true if it is one of the modules being checked, false if it is the target's own
 */
public record Provider(String name, String file, boolean given) {}
