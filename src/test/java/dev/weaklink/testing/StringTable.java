package dev.weaklink.testing;

import java.util.HashMap;
import java.util.Map;

/** An ELF string table: starts with NUL, keeps each string once. */
final class StringTable {
    private final ElfBytes content;
    private final Map<String, Integer> offsets = new HashMap<>();

    /** Appends to these bytes, which must be empty. */
    StringTable(ElfBytes content) {
        this.content = content;
        offsets.put("", 0);
        content.zeros(1);
    }

    /** Offset of the string, which is added if it is not there yet. */
    int add(String text) {
        Integer known = offsets.get(text);
        if (known != null) {
            return known;
        }
        int offset = content.size();
        offsets.put(text, offset);
        content.string(text);
        return offset;
    }
}
