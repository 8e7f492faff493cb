package dev.weaklink.format.archive;

import dev.weaklink.sys.UnreadableException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads a cpio archive of the "new" ASCII form, as in an initramfs and in rpm payloads. The magic is 070701, or 070702
 * with checksums, which are not verified. See the kernel's Documentation/driver-api/early-userspace/buffer-format.rst.
 *
 * <p>The reader stops after the trailer, where another archive may follow. Commons Compress reads on, and does not
 * support rpm's stripped form.
 */
public final class CpioReader {
    /** The source of the metadata for rpm's stripped form (magic 07070X), whose entries contain only an index. */
    interface Stripped {
        /**
         * Returns the entry for the file with this index in the rpm header.
         *
         * @throws IOException if the header does not list the file
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

    /** The maximum length of a name: PATH_MAX with the NUL, as in the kernel (init/initramfs.c:do_header). */
    private static final int MAX_NAME = 4096;

    private static final String TRAILER = "TRAILER!!!";

    private final InputStream in;
    private final @Nullable Stripped stripped;
    private final byte[] header = new byte[FIELDS * FIELD_LENGTH];

    /** The number of bytes before the contents of the current entry, counted from the start of the archive. */
    private long position;

    private long sizeOfCurrent;
    private EntryData data;
    private boolean trailerSeen;

    public CpioReader(InputStream in) {
        this(in, null);
    }

    public CpioReader(InputStream in, @Nullable Stripped stripped) {
        this.in = in;
        this.stripped = stripped;
        this.data = new EntryData(in, 0);
    }

    public static boolean hasMagic(byte[] bytes, int length) {
        if (length < MAGIC_LENGTH) {
            return false;
        }
        String magic = new String(bytes, 0, MAGIC_LENGTH, StandardCharsets.ISO_8859_1);
        return magic.equals("070701") || magic.equals("070702") || magic.equals("07070X");
    }

    /**
     * Skips the remaining bytes of the previous entry, and returns the next entry.
     *
     * @return null after the trailer, or if the stream ends between two entries; {@link #trailerSeen} shows which of
     *     the two
     * @throws UnreadableException if the bytes are not a cpio entry
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

    /**
     * Returns the contents of the entry that {@link #next} returned last; invalid after the next call of that method.
     */
    public InputStream contents() {
        return data;
    }

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
            throw new UnreadableException(
                    "corrupt cpio archive: a name of " + nameSize + " bytes (expected 1 to " + MAX_NAME + ")");
        }
        byte[] name = in.readNBytes((int) nameSize);
        position += name.length;
        if (name.length < nameSize) {
            throw truncated();
        }
        if (name[name.length - 1] != 0) {
            throw new UnreadableException("corrupt cpio archive: a name does not end with a NUL byte");
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
            throw new UnreadableException("corrupt cpio archive: unexpected stripped entry (magic 07070X)");
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
            // The last archive of a file may lack its padding.
            if (in.read() < 0) {
                return;
            }
            position++;
        }
    }

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

    private static String text(byte[] name) {
        int end = 0;
        while (end < name.length && name[end] != 0) {
            end++;
        }
        return new String(name, 0, end, StandardCharsets.UTF_8);
    }

    private static IOException truncated() {
        return new EOFException("truncated: the cpio archive ends too early");
    }

    /**
     * An entry of a cpio archive.
     *
     * @param name the name as stored, or as the rpm header lists the file
     * @param mode the file type and permissions, as in stat(2)
     * @param inode the inode number, which together with {@code device} identifies hard links
     * @param device the device number: its major part in the upper 32 bits, its minor part in the lower
     * @param links the number of hard links; archivers store the contents only with the last link
     * @param size the number of bytes; the contents of a symbolic link are its target
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
