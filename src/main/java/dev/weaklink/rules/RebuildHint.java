package dev.weaklink.rules;

import org.jspecify.annotations.Nullable;

/**
 * How a product is built for another kernel.
 *
 * @param backend the id of what builds it
 * @param product what it is called there, null if that need not be said
 */
public record RebuildHint(String backend, @Nullable String product) {}
