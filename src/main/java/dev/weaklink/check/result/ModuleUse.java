package dev.weaklink.check.result;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A rendered description of how a module uses changed types and functions.
 *
 * @param lines the lines for people
 * @param allLines the same lines, unabridged
 * @param json the same description as JSON values
 */
public record ModuleUse(List<String> lines, List<String> allLines, Map<String, Object> json) {
    public ModuleUse {
        lines = List.copyOf(lines);
        allLines = List.copyOf(allLines);
        json = Collections.unmodifiableMap(new LinkedHashMap<>(json));
    }
}
