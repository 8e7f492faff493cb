package dev.weaklink.module;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An ordered list of symbol names stored as bytes: name {@code i} is the {@code length(i)} bytes at {@code offset(i)},
 * with a 64-bit hash. A {@code String} is created only on request. A list can share the bytes of a pool that it was
 * picked from.
 */
public final class SymbolNames {
    private static final int[] NO_PICKS = new int[0];

    public static final SymbolNames NONE = new SymbolNamesBuilder(0).build();

    private static final long HASH_SEED = 0xcbf29ce484222325L;
    private static final long HASH_PRIME = 0x100000001b3L;
    private static final long SPREAD = System.nanoTime() * 0x9e3779b97f4a7c15L | 1;

    private final byte[] bytes;
    private final int[] ends;
    private final long[] hashes;
    private final @Nullable SymbolNames pool;
    private final int[] picks;

    SymbolNames(byte[] bytes, int[] ends, long[] hashes) {
        this.bytes = bytes;
        this.ends = ends;
        this.hashes = hashes;
        this.pool = null;
        this.picks = NO_PICKS;
    }

    private SymbolNames(SymbolNames pool, int[] picks) {
        this.bytes = pool.bytes;
        this.ends = pool.ends;
        this.hashes = pool.hashes;
        this.pool = pool;
        this.picks = picks;
    }

    /**
     * Returns a list of some of these names, which shares their bytes. Lists picked from one pool can be compared and
     * looked up by {@link #poolIndex}.
     *
     * @param picks the index in this list of each name of the new list; not copied
     * @throws IndexOutOfBoundsException if an index is out of range
     * @throws IllegalStateException if this list was itself picked from a pool
     */
    public SymbolNames pick(int[] picks) {
        for (int pick : picks) {
            Objects.checkIndex(pick, hashes.length);
        }
        if (pool != null) {
            throw new IllegalStateException("picked already");
        }
        return new SymbolNames(this, picks);
    }

    public @Nullable SymbolNames pool() {
        return pool;
    }

    /**
     * Returns the position of name {@code index} in the pool that the list was picked from; {@code index} itself if
     * there is no pool.
     */
    public int poolIndex(int index) {
        return pool == null ? index : picks[index];
    }

    public int size() {
        return pool == null ? hashes.length : picks.length;
    }

    /** Returns the bytes that contain all names; the caller must not change them. */
    public byte[] bytes() {
        return bytes;
    }

    public int offset(int index) {
        int at = poolIndex(index);
        return at == 0 ? 0 : ends[at - 1];
    }

    private int end(int index) {
        return ends[poolIndex(index)];
    }

    public int length(int index) {
        return end(index) - offset(index);
    }

    public long hash(int index) {
        return hashes[poolIndex(index)];
    }

    /**
     * Returns the first slot for name {@code index} in a hash table with open addressing. Each run of weaklink uses
     * other slots, which makes it harder to craft a file whose names all collide.
     *
     * @param mask the table's size, a power of two, minus one
     */
    public int slot(int index, int mask) {
        return slot(hash(index), mask);
    }

    public static int slot(long hash, int mask) {
        return (int) (hash * SPREAD >>> Integer.SIZE) & mask;
    }

    /** Returns the name as a string with one character for each byte. */
    public String name(int index) {
        return new String(bytes, offset(index), length(index), StandardCharsets.ISO_8859_1);
    }

    /** Returns whether name {@code index} has the same bytes as name {@code otherIndex} of the other list. */
    public boolean same(int index, SymbolNames other, int otherIndex) {
        return hash(index) == other.hash(otherIndex)
                && Arrays.equals(
                        bytes, offset(index), end(index), other.bytes, other.offset(otherIndex), other.end(otherIndex));
    }

    public boolean is(int index, String text) {
        int start = offset(index);
        if (end(index) - start != text.length()) {
            return false;
        }
        for (int i = 0; i < text.length(); i++) {
            if ((bytes[start + i] & 0xff) != text.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    public int indexOf(String text) {
        for (int i = 0; i < size(); i++) {
            if (is(i, text)) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the 64-bit FNV-1a hash of {@code length} bytes. */
    public static long hash(byte[] bytes, int offset, int length) {
        long hash = HASH_SEED;
        for (int i = offset, end = offset + length; i < end; i++) {
            hash = (hash ^ (bytes[i] & 0xff)) * HASH_PRIME;
        }
        return hash;
    }

    public static final class SymbolNamesBuilder {
        private byte[] bytes;
        private int used;
        private int[] ends;
        private long[] hashes;
        private int count;

        public SymbolNamesBuilder(int expected) {
            bytes = new byte[Math.max(expected * 20, 16)];
            ends = new int[Math.max(expected, 4)];
            hashes = new long[Math.max(expected, 4)];
        }

        public SymbolNamesBuilder add(byte[] source, int offset, int length) {
            makeRoom(length);
            byte[] target = bytes;
            long hash = HASH_SEED;
            int to = used;
            for (int i = offset, end = offset + length; i < end; i++) {
                byte b = source[i];
                target[to++] = b;
                hash = (hash ^ (b & 0xff)) * HASH_PRIME;
            }
            used = to;
            hashes[count] = hash;
            ends[count++] = to;
            return this;
        }

        public SymbolNamesBuilder add(SymbolNames names, int index) {
            int length = names.length(index);
            makeRoom(length);
            System.arraycopy(names.bytes, names.offset(index), bytes, used, length);
            used += length;
            hashes[count] = names.hash(index);
            ends[count++] = used;
            return this;
        }

        private void makeRoom(int length) {
            if (used + length > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, used + length));
            }
            if (count == ends.length) {
                ends = Arrays.copyOf(ends, count * 2);
                hashes = Arrays.copyOf(hashes, count * 2);
            }
        }

        /** Appends a name given as a string with one character for each byte. */
        public SymbolNamesBuilder add(String name) {
            byte[] source = name.getBytes(StandardCharsets.ISO_8859_1);
            return add(source, 0, source.length);
        }

        public int size() {
            return count;
        }

        public SymbolNames build() {
            return new SymbolNames(
                    Arrays.copyOf(bytes, used), Arrays.copyOf(ends, count), Arrays.copyOf(hashes, count));
        }
    }
}
