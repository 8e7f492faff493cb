package dev.weaklink.testing;

import java.util.HashMap;
import java.util.Map;

/** An ELF string table, which starts with NUL and contains each string once. */
final class StringTable {
    private final ElfBytes content;
    private final Map<String, Integer> offsets = new HashMap<>();

    /** Creates a table in these bytes, which must be empty. */
    StringTable(ElfBytes content) {
        this.content = content;
        offsets.put("", 0);
        content.zeros(1);
    }

    /** Returns the offset of the string, and adds the string if it is missing. */
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
