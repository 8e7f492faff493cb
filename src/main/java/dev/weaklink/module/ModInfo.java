package dev.weaklink.module;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@code key=value} strings of {@code .modinfo} in file order, kept as bytes. The loader takes the first entry of a
 * key (get_modinfo), so {@link #first} does too.
 */
public final class ModInfo {
    /** No section. */
    public static final ModInfo ABSENT = new ModInfo(new byte[0], new int[0], false, false);

    private final byte[] bytes;
    private final int[] starts;
    private final boolean present;
    private final boolean allocated;
    private final boolean complete;

    /**
     * Entries where they lie.
     *
     * @param bytes taken as it is; each entry goes on to the next NUL or the end
     * @param starts where each entry begins in {@code bytes}
     * @param present whether the section is there at all
     * @param allocated whether it has SHF_ALLOC; loaders up to 6.3 do not see it otherwise
     */
    public ModInfo(byte[] bytes, int[] starts, boolean present, boolean allocated) {
        this(bytes, starts, present, allocated, true);
    }

    private ModInfo(byte[] bytes, int[] starts, boolean present, boolean allocated, boolean complete) {
        this.bytes = bytes;
        this.starts = starts;
        this.present = present;
        this.allocated = allocated;
        this.complete = complete;
    }

    /**
     * Entries of a section of which the others are not known: to ask for those is an
     * {@link KernelModule.UnknownFactException}.
     */
    public static ModInfo some(List<String> entries) {
        ModInfo all = new ModInfo(entries, true, true);
        return new ModInfo(all.bytes, all.starts, true, true, false);
    }

    /** Whether entries with this key are known, or that there are none. */
    public boolean knows(String key) {
        return complete || find(key) >= 0;
    }

    /** Entries given as text, one byte a character. */
    public ModInfo(List<String> entries, boolean present, boolean allocated) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        starts = new int[entries.size()];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = joined.size();
            joined.writeBytes(entries.get(i).getBytes(StandardCharsets.ISO_8859_1));
            joined.write(0);
        }
        this.bytes = joined.toByteArray();
        this.present = present;
        this.allocated = allocated;
        this.complete = true;
    }

    /**
     * The strings between NULs in {@code data[start .. end)}, which is copied; the last one goes on to the next NUL
     * behind it, as the loader reads it.
     *
     * @param limit where the file ends
     */
    static ModInfo read(byte[] data, int start, int end, int limit, boolean allocated) {
        int to = end;
        while (end > start && data[end - 1] != 0 && to < limit && data[to] != 0) {
            to++;
        }
        byte[] bytes = Arrays.copyOfRange(data, start, to);
        int[] starts = new int[16];
        int count = 0;
        for (int at = 0; at < end - start; at++) {
            if (bytes[at] != 0 && (at == 0 || bytes[at - 1] == 0)) {
                if (count == starts.length) {
                    starts = Arrays.copyOf(starts, count * 2);
                }
                starts[count++] = at;
            }
        }
        return new ModInfo(bytes, Arrays.copyOf(starts, count), true, allocated);
    }

    /** Whether the section is there at all. */
    public boolean present() {
        return present;
    }

    /** Whether it has SHF_ALLOC; loaders up to 6.3 do not see it otherwise. */
    public boolean allocated() {
        return allocated;
    }

    /** Number of entries. */
    public int size() {
        return starts.length;
    }

    /** The bytes all entries lie in; read only. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where entry {@code index} starts in {@link #bytes()}. */
    public int start(int index) {
        return starts[index];
    }

    /** Where entry {@code index} ends in {@link #bytes()}. */
    public int end(int index) {
        int at = starts[index];
        while (at < bytes.length && bytes[at] != 0) {
            at++;
        }
        return at;
    }

    /** Whole strings, one character a byte. */
    public List<String> entries() {
        List<String> entries = new ArrayList<>(starts.length);
        for (int i = 0; i < starts.length; i++) {
            entries.add(text(starts[i], i));
        }
        return entries;
    }

    /** Value of the first entry with this key, null if there is none. */
    public @Nullable String first(String key) {
        requireKnown(key);
        int i = find(key);
        return i < 0 ? null : text(starts[i] + key.length() + 1, i);
    }

    private int find(String key) {
        for (int i = 0; i < starts.length; i++) {
            if (hasKey(starts[i], key)) {
                return i;
            }
        }
        return -1;
    }

    private void requireKnown(String key) {
        if (!complete && find(key) < 0) {
            throw new KernelModule.UnknownFactException(key + "=");
        }
    }

    /** Values of all entries with this key, in order. */
    public List<String> all(String key) {
        requireKnown(key);
        List<String> values = new ArrayList<>(0);
        for (int i = 0; i < starts.length; i++) {
            if (hasKey(starts[i], key)) {
                values.add(text(starts[i] + key.length() + 1, i));
            }
        }
        return values;
    }

    private String text(int from, int index) {
        return new String(bytes, from, end(index) - from, StandardCharsets.ISO_8859_1);
    }

    /** A key has no NUL, so a match never leads into the next entry. */
    private boolean hasKey(int start, String key) {
        int length = key.length();
        if (bytes.length - start <= length || bytes[start + length] != '=') {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (bytes[start + i] != key.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ModInfo that
                && present == that.present
                && allocated == that.allocated
                && entries().equals(that.entries());
    }

    @Override
    public int hashCode() {
        return entries().hashCode();
    }

    @Override
    public String toString() {
        return "ModInfo" + entries();
    }

    /** Names that {@code depends=} lists. */
    public List<String> depends() {
        List<String> names = new ArrayList<>();
        String depends = first("depends");
        for (String name : depends == null ? new String[0] : depends.split(",")) {
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
        return names;
    }
}
