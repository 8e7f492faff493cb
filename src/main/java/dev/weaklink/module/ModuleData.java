package dev.weaklink.module;

import java.util.List;
import java.util.Set;

/**
 * The pointers that the relocations of a module write, by the variable that contains them.
 *
 * @param variables the variables that contain pointers
 * @param usedByCode the names of the imported functions and variables that the module's code refers to
 */
public record ModuleData(List<DataObject> variables, Set<String> usedByCode) {
    public static final ModuleData NONE = new ModuleData(List.of(), Set.of());

    public ModuleData {
        variables = List.copyOf(variables);
        usedByCode = Set.copyOf(usedByCode);
    }
}
