package dev.weaklink.module;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A variable of a module, such as a table of callbacks.
 *
 * @param name the name in the symbol table
 * @param size the size in bytes
 * @param slots the pointers that the loaded module holds, ascending by offset
 */
public record DataObject(String name, long size, List<Slot> slots) {
    public DataObject {
        slots = List.copyOf(slots);
    }

    /**
     * A pointer.
     *
     * @param offset the offset in the variable, in bytes
     * @param code whether it points to code of the module
     * @param name the name of the function it points to, or of the imported symbol; null for data and for code without
     *     a symbol
     * @param variable the index of the variable it points to; -1 if it points to none
     */
    public record Slot(int offset, boolean code, @Nullable String name, int variable) {}
}
