package dev.weaklink.module;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A variable of a module, such as a table of callbacks.
 *
 * @param name the name in the symbol table
 * @param size the size in bytes
 * @param slots the pointers that the loaded variable contains, ascending by offset
 */
public record DataObject(String name, long size, List<Slot> slots) {
    public DataObject {
        slots = List.copyOf(slots);
    }

    /**
     * A pointer in a variable.
     *
     * @param offset the offset in the variable, in bytes
     * @param code whether the pointer leads to code of the module
     * @param name the name of the target function or of the imported symbol; null for the module's own data and for
     *     code without a symbol
     * @param variable the target's index in {@link ModuleData#variables}; -1 if the target is not in this list
     */
    public record Slot(int offset, boolean code, @Nullable String name, int variable) {}
}
