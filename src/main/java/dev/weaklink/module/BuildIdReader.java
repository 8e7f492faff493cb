package dev.weaklink.module;

import dev.weaklink.format.elf.ElfImage;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

public final class BuildIdReader {
    private static final byte[] SECTION = NamedSections.wanted(".note.gnu.build-id");
    private static final int HEADER_SIZE = 12;
    private static final int GNU_OWNER_SIZE = 4;
    private static final int NT_GNU_BUILD_ID = 3;
    private static final int MAX_SIZE = 64;

    /** The maximum number of bytes that the reader needs of a note. */
    public static final int MAX_NOTE = HEADER_SIZE + GNU_OWNER_SIZE + MAX_SIZE;

    private BuildIdReader() {}

    /** Returns the build id in lower-case hex, or null if the section is missing or invalid. */
    static @Nullable String read(ElfImage image, NamedSections named) {
        int section = named.find(SECTION);
        if (section < 0 || !image.hasContents(section)) {
            return null;
        }
        int at = (int) image.sections().offset(section);
        int size = (int) Math.min(image.sections().size(section), MAX_NOTE);
        ByteOrder order = image.identity().littleEndian() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        return id(ByteBuffer.wrap(image.data(), at, size).slice().order(order));
    }

    /**
     * Returns the build id in lower-case hex, or null if the note is invalid.
     *
     * @param note the bytes of the section as the kernel exports them in /sys/module/NAME/notes; the reader detects the
     *     byte order by the size of the note's name
     */
    public static @Nullable String ofNote(byte[] note) {
        ByteBuffer buffer =
                ByteBuffer.wrap(note, 0, Math.min(note.length, MAX_NOTE)).slice();
        String id = id(buffer.order(ByteOrder.LITTLE_ENDIAN));
        return id == null ? id(buffer.order(ByteOrder.BIG_ENDIAN)) : id;
    }

    private static @Nullable String id(ByteBuffer note) {
        int start = HEADER_SIZE + GNU_OWNER_SIZE;
        if (note.limit() < start || note.getInt(0) != GNU_OWNER_SIZE || note.getInt(8) != NT_GNU_BUILD_ID) {
            return null;
        }
        int size = note.getInt(4);
        if (size < 0 || size > note.limit() - start) {
            return null;
        }
        byte[] id = new byte[size];
        note.get(start, id);
        return HexFormat.of().formatHex(id);
    }
}
