package dev.weaklink.module;

import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;

public final class InternedNames {
    private byte[] bytes = new byte[1 << 16];
    private int[] ends = new int[1 << 12];
    private long[] hashes = new long[1 << 12];
    private int[] slots = new int[1 << 14];
    private int count;
    private final Map<SymbolNames, int[]> ofPools = new IdentityHashMap<>();

    public int size() {
        return count;
    }

    /** Returns the concatenated names; only the first {@link #length()} bytes are valid. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the end offset of each name; only the first {@link #size()} elements are valid. */
    public int[] ends() {
        return ends;
    }

    public int length() {
        return count == 0 ? 0 : ends[count - 1];
    }

    public int add(SymbolNames names, int index) {
        SymbolNames pool = names.pool();
        if (pool == null) {
            return intern(names, index);
        }
        int[] known = ofPools.computeIfAbsent(pool, p -> new int[p.size()]);
        int at = names.poolIndex(index);
        if (known[at] == 0) {
            known[at] = intern(names, index) + 1;
        }
        return known[at] - 1;
    }

    private int intern(SymbolNames names, int index) {
        int mask = slots.length - 1;
        int slot = names.slot(index, mask);
        while (slots[slot] != 0) {
            if (isSame(slots[slot] - 1, names, index)) {
                return slots[slot] - 1;
            }
            slot = (slot + 1) & mask;
        }
        append(names, index);
        slots[slot] = count;
        if (count * 2 > slots.length) {
            spread();
        }
        return count - 1;
    }

    private boolean isSame(int known, SymbolNames names, int index) {
        int start = known == 0 ? 0 : ends[known - 1];
        int from = names.offset(index);
        return hashes[known] == names.hash(index)
                && Arrays.equals(bytes, start, ends[known], names.bytes(), from, from + names.length(index));
    }

    private void append(SymbolNames names, int index) {
        int start = length();
        int size = names.length(index);
        if (start + size > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, start + size));
        }
        if (count == ends.length) {
            ends = Arrays.copyOf(ends, count * 2);
            hashes = Arrays.copyOf(hashes, count * 2);
        }
        System.arraycopy(names.bytes(), names.offset(index), bytes, start, size);
        hashes[count] = names.hash(index);
        ends[count++] = start + size;
    }

    private void spread() {
        slots = new int[slots.length * 4];
        int mask = slots.length - 1;
        for (int i = 0; i < count; i++) {
            int slot = SymbolNames.slot(hashes[i], mask);
            while (slots[slot] != 0) {
                slot = (slot + 1) & mask;
            }
            slots[slot] = i + 1;
        }
    }
}
