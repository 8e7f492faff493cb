package dev.weaklink.rules;

import dev.weaklink.rules.Rules.RuleUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The condition of a rule: module, unit ({@link RuleUnit}) and kernel must each match one pattern of their list. An
 * empty list matches everything.
 *
 * @param modules patterns of module names
 * @param units patterns of a unit's name, package or directory
 * @param kernels patterns of the releases of kernels that modules would be linked into
 */
public record Selector(List<NamePattern> modules, List<NamePattern> units, List<NamePattern> kernels) {
    public Selector {
        modules = List.copyOf(modules);
        units = List.copyOf(units);
        kernels = List.copyOf(kernels);
    }

    /**
     * Returns whether the condition holds. A null argument is an unknown value, which no pattern matches.
     *
     * @param module a module's name, with {@code -} or {@code _}
     */
    public boolean matches(@Nullable String module, @Nullable RuleUnit unit, @Nullable String kernel) {
        return matchesModuleAndUnit(module, unit) && (kernels.isEmpty() || any(kernels, kernel));
    }

    public boolean matchesModuleAndUnit(@Nullable String module, @Nullable RuleUnit unit) {
        String name = module == null ? null : NamePattern.moduleName(module);
        return (modules.isEmpty() || any(modules, name)) && (units.isEmpty() || anyUnit(unit));
    }

    private boolean anyUnit(@Nullable RuleUnit unit) {
        return unit != null
                && (any(units, unit.name()) || any(units, unit.packageName()) || anyDirectory(units, unit.directory()));
    }

    static boolean any(List<NamePattern> patterns, @Nullable String name) {
        if (name == null) {
            return false;
        }
        return patterns.stream().anyMatch(pattern -> pattern.matches(name));
    }

    private static boolean anyDirectory(List<NamePattern> patterns, @Nullable String directory) {
        if (directory == null) {
            return false;
        }
        return patterns.stream().anyMatch(pattern -> pattern.matchesDirectory(directory));
    }
}
