package dev.weaklink.module;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The {@code key=value} strings of {@code .modinfo} in file order, kept as bytes. The loader uses the first entry of a
 * key (get_modinfo), so {@link #first} does too.
 */
public final class ModInfo {
    public static final ModInfo ABSENT = new ModInfo(new byte[0], new int[0], false, false);

    private final byte[] bytes;
    private final int[] starts;
    private final boolean present;
    private final boolean allocated;
    private final boolean complete;

    /**
     * Creates entries that share the caller's array.
     *
     * @param bytes the array, which is not copied; each entry ends at the next NUL or at the end of the array
     * @param starts the start of each entry in {@code bytes}
     * @param present whether the file has the section
     * @param allocated whether the section has SHF_ALLOC, without which loaders up to 6.3 do not see the section
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
     * Returns an object that knows only these entries of a module. A request for another key throws
     * {@link KernelModule.UnknownFactException}.
     */
    public static ModInfo some(List<String> entries) {
        ModInfo all = new ModInfo(entries, true, true);
        return new ModInfo(all.bytes, all.starts, true, true, false);
    }

    /** Returns whether the entries with this key are known, even if the module has no such entry. */
    public boolean knows(String key) {
        return complete || find(key) >= 0;
    }

    /** Creates entries from strings with one character for each byte. */
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
     * Reads the strings between NULs in {@code data[start .. end)}, which is copied. A last string without NUL goes on
     * to the next NUL behind the section, as the loader reads it.
     *
     * @param limit the end of the file
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

    public boolean present() {
        return present;
    }

    /** Returns whether the section has SHF_ALLOC, without which loaders up to 6.3 do not see the section. */
    public boolean allocated() {
        return allocated;
    }

    public int size() {
        return starts.length;
    }

    public byte[] bytes() {
        return bytes;
    }

    public int start(int index) {
        return starts[index];
    }

    public int end(int index) {
        int at = starts[index];
        while (at < bytes.length && bytes[at] != 0) {
            at++;
        }
        return at;
    }

    /** Returns the entries as {@code key=value} strings, with one character for each byte. */
    public List<String> entries() {
        List<String> entries = new ArrayList<>(starts.length);
        for (int i = 0; i < starts.length; i++) {
            entries.add(text(starts[i], i));
        }
        return entries;
    }

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

    private boolean hasKey(int start, String key) {
        int length = key.length();
        if (bytes.length - start <= length || bytes[start + length] != '=') {
            return false;
        }
        // The key contains no NUL, so a match never extends into the next entry.
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
