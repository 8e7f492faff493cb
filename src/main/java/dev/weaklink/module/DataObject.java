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
     * @param name the name of the function or imported symbol that the pointer leads to; null for the module's own data
     *     and for code without a symbol
     * @param variable the index in {@link ModuleData#variables} of the variable that the pointer leads to; -1 if the
     *     pointer leads to none of these variables
     */
    public record Slot(int offset, boolean code, @Nullable String name, int variable) {}
}
