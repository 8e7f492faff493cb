package dev.weaklink.module;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A variable of a module, such as a table of callbacks.
 *
 * @param name its name in the symbol table
 * @param size its size in bytes
 * @param slots where it holds pointers when the module is loaded, ascending
 * @param place where it lies; sections are far apart
 */
public record DataObject(String name, long size, List<Slot> slots, long place) {
    public DataObject {
        slots = List.copyOf(slots);
    }

    /**
     * A pointer.
     *
     * @param offset its place in bytes
     * @param code whether it points to code of the module
     * @param name of the function there, or of what is imported; null for data, and for code without a name
     * @param number of the function or variable that it points to; -1 for none of the program
     */
    public record Slot(int offset, boolean code, @Nullable String name, int number) {}
}
