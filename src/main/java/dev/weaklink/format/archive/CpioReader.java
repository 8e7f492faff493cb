package dev.weaklink.format.archive;

import dev.weaklink.sys.UnreadableException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads a cpio archive of the "new" ASCII form (magic 070701, and 070702 with checksums, which are not verified), as in
 * an initramfs and in rpm payloads; see the kernel's Documentation/driver-api/early-userspace/buffer-format.rst.
 *
 * <p>Takes no byte more from the stream than belongs to the archive: when {@link #next} has returned null, the stream
 * stands behind the trailer, where another archive may follow. That, and rpm's stripped form, Commons Compress has not.
 */
public final class CpioReader {
    /** Sizes for rpm's stripped form (magic 07070X), whose entries are but an index. */
    interface Stripped {
        /**
         * The entry for a file of the rpm header.
         *
         * @throws IOException if there is no such file
         */
        CpioEntry entry(int index) throws IOException;
    }

    private static final int MAGIC_LENGTH = 6;
    private static final int FIELD_LENGTH = 8;
    private static final int FIELDS = 13;
    private static final int INODE = 0;
    private static final int MODE = 1;
    private static final int LINKS = 4;
    private static final int SIZE = 6;
    private static final int DEVICE_MAJOR = 7;
    private static final int DEVICE_MINOR = 8;
    private static final int NAME_SIZE = 11;
    private static final int ALIGNMENT = 4;

    /** PATH_MAX, with the NUL, which the kernel holds names to (init/initramfs.c:do_header). */
    private static final int MAX_NAME = 4096;

    private static final String TRAILER = "TRAILER!!!";

    private final InputStream in;
    private final @Nullable Stripped stripped;
    private final byte[] header = new byte[FIELDS * FIELD_LENGTH];

    /** Bytes from the archive's beginning to the current entry's contents, or to its end. */
    private long position;

    private long sizeOfCurrent;
    private EntryData data;
    private boolean trailerSeen;

    public CpioReader(InputStream in) {
        this(in, null);
    }

    /** A reader that knows rpm's stripped form, too. */
    public CpioReader(InputStream in, @Nullable Stripped stripped) {
        this.in = in;
        this.stripped = stripped;
        this.data = new EntryData(in, 0);
    }

    /** Whether these bytes begin an archive that this class reads. */
    public static boolean hasMagic(byte[] bytes, int length) {
        if (length < MAGIC_LENGTH) {
            return false;
        }
        String magic = new String(bytes, 0, MAGIC_LENGTH, StandardCharsets.ISO_8859_1);
        return magic.equals("070701") || magic.equals("070702") || magic.equals("07070X");
    }

    /**
     * Goes to the next entry, over what is left of the one before.
     *
     * @return null behind the trailer, or where the stream ends between two entries; {@link #trailerSeen} says which
     * @throws UnreadableException if the bytes are no cpio entry
     * @throws EOFException if the stream ends within an entry
     */
    public @Nullable CpioEntry next() throws IOException {
        if (trailerSeen) {
            return null;
        }
        finishEntry();
        int count = in.readNBytes(header, 0, MAGIC_LENGTH);
        if (count == 0) {
            return null;
        }
        position += count;
        if (count < MAGIC_LENGTH) {
            throw truncated();
        }
        requireMagic();
        CpioEntry entry = header[MAGIC_LENGTH - 1] == 'X' ? strippedEntry() : entry();
        sizeOfCurrent = entry.size();
        data = new EntryData(in, entry.size());
        if (entry.name().equals(TRAILER)) {
            trailerSeen = true;
            finishEntry();
            return null;
        }
        return entry;
    }

    /** The contents of the entry that {@link #next} gave last; void after the next call of it. */
    public InputStream contents() {
        return data;
    }

    /** Whether the archive ended with the trailer it should have. */
    public boolean trailerSeen() {
        return trailerSeen;
    }

    private void finishEntry() throws IOException {
        data.drain();
        position += sizeOfCurrent;
        sizeOfCurrent = 0;
        skipPadding();
    }

    private void requireMagic() throws UnreadableException {
        if (new String(header, 0, MAGIC_LENGTH, StandardCharsets.ISO_8859_1).equals("070707")) {
            throw new UnreadableException("cpio archive in the old portable format, which no kernel unpacks");
        }
        if (!hasMagic(header, MAGIC_LENGTH)) {
            throw new UnreadableException("corrupt cpio archive: an entry has no magic");
        }
    }

    private CpioEntry entry() throws IOException {
        readFully(header.length);
        long nameSize = field(NAME_SIZE);
        if (nameSize < 1 || nameSize > MAX_NAME) {
            throw new UnreadableException("corrupt cpio archive: a name of " + nameSize + " bytes");
        }
        byte[] name = in.readNBytes((int) nameSize);
        position += name.length;
        if (name.length < nameSize) {
            throw truncated();
        }
        if (name[name.length - 1] != 0) {
            throw new UnreadableException("corrupt cpio archive: a name has no end");
        }
        skipPadding();
        return new CpioEntry(
                text(name),
                (int) field(MODE),
                field(INODE),
                field(DEVICE_MAJOR) << 32 | field(DEVICE_MINOR),
                field(LINKS),
                field(SIZE));
    }

    private CpioEntry strippedEntry() throws IOException {
        readFully(FIELD_LENGTH);
        long index = field(0);
        if (stripped == null || index > Integer.MAX_VALUE) {
            throw new UnreadableException("corrupt cpio archive: a stripped entry out of place");
        }
        skipPadding();
        return stripped.entry((int) index);
    }

    private void readFully(int length) throws IOException {
        int count = in.readNBytes(header, 0, length);
        position += count;
        if (count < length) {
            throw truncated();
        }
    }

    private void skipPadding() throws IOException {
        int padding = (int) (-position & (ALIGNMENT - 1));
        for (int i = 0; i < padding; i++) {
            // The last archive of a file may go without its padding.
            if (in.read() < 0) {
                return;
            }
            position++;
        }
    }

    /** A field of eight hexadecimal digits. */
    private long field(int number) throws IOException {
        long value = 0;
        for (int i = number * FIELD_LENGTH; i < (number + 1) * FIELD_LENGTH; i++) {
            int digit = Character.digit(header[i], 16);
            if (digit < 0) {
                throw new UnreadableException("corrupt cpio archive: a header is not hexadecimal");
            }
            value = value << 4 | digit;
        }
        return value;
    }

    /** Up to the first NUL. */
    private static String text(byte[] name) {
        int end = 0;
        while (end < name.length && name[end] != 0) {
            end++;
        }
        return new String(name, 0, end, StandardCharsets.UTF_8);
    }

    private static IOException truncated() {
        return new EOFException("truncated: the cpio archive has no end");
    }

    /**
     * An entry of a cpio archive.
     *
     * @param name as written, not normalised; empty where rpm's stripped form leaves it out
     * @param mode file type and permissions, as in stat(2)
     * @param inode identifies hard links, with {@code device}
     * @param device major number in the upper, minor in the lower 32 bits
     * @param links number of hard links; of those all but the last have size 0
     * @param size bytes of contents; a symbolic link's are its target
     */
    public record CpioEntry(String name, int mode, long inode, long device, long links, long size) {
        private static final int TYPE = 0170000;
        private static final int DIRECTORY = 0040000;
        private static final int REGULAR = 0100000;
        private static final int SYMLINK = 0120000;

        public boolean isDirectory() {
            return (mode & TYPE) == DIRECTORY;
        }

        public boolean isRegular() {
            return (mode & TYPE) == REGULAR;
        }

        public boolean isSymlink() {
            return (mode & TYPE) == SYMLINK;
        }
    }
}
