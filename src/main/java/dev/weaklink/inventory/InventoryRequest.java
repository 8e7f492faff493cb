package dev.weaklink.inventory;

import dev.weaklink.sys.Root;
import org.jspecify.annotations.Nullable;

/**
 * What is to be told.
 *
 * @param name what to call the node; null to use the name the root has, if it has one
 * @param nameless to leave the name out
 * @param withTables to tell the tables of all modules, too
 * @param jobs how many files to read at once
 */
public record InventoryRequest(
    Root root, @Nullable String name, boolean nameless, boolean withTables, int jobs) {}
