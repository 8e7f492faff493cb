package dev.weaklink.format.archive;

import dev.weaklink.format.archive.PackageEntry.EntryType;
import dev.weaklink.format.archive.PackageWalk.RawEntry;
import dev.weaklink.sys.ByteStream;
import dev.weaklink.sys.UnreadableException;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarUtils;
import org.jspecify.annotations.Nullable;

/** Reads tar archives (ustar, GNU, pax, v7) with Commons Compress, but limits the size of headers. */
final class TarReader {
    static final int RECORD = 512;

    /** The maximum number of bytes of a header with its long names and pax attributes. */
    private static final int MAX_HEADER = 256 << 10;

    private final HeaderWindow window;
    private final TarArchiveInputStream tar;
    private @Nullable TarArchiveEntry current;
    private boolean regular;
    private long read;

    TarReader(InputStream in) {
        this.window = new HeaderWindow(in);
        this.tar = new TarArchiveInputStream(window, StandardCharsets.UTF_8.name());
    }

    /** Returns whether a record is a tar header: its name is not empty, and its checksum is right. */
    static boolean isHeader(byte[] record, int length) {
        try {
            return length >= RECORD && record[0] != 0 && TarUtils.verifyCheckSum(record);
        } catch (IllegalArgumentException e) {
            return false; // the checksum field is not a number
        }
    }

    /** Returns the next entry that is a file, directory or link; null at the end. */
    @Nullable
    RawEntry next() throws IOException {
        while (true) {
            finishEntry();
            TarArchiveEntry entry = header();
            current = entry;
            read = 0;
            if (entry == null) {
                return null;
            }
            RawEntry raw = raw(entry);
            if (raw != null) {
                regular = raw.type() == EntryType.FILE;
                return raw;
            }
        }
    }

    InputStream contents() {
        return regular ? new EntryStream() : InputStream.nullInputStream();
    }

    private @Nullable TarArchiveEntry header() throws IOException {
        window.limit(MAX_HEADER);
        try {
            return tar.getNextEntry();
        } catch (UnreadableException e) {
            throw e;
        } catch (IOException e) {
            throw explained(e);
        } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException e) {
            // Commons Compress throws these exceptions for corrupt headers.
            throw new UnreadableException("corrupt tar archive", e);
        } finally {
            window.limit(Long.MAX_VALUE);
        }
    }

    /**
     * Skips the rest of the current entry. Commons Compress itself would treat a truncated entry as the end of the
     * archive.
     */
    private void finishEntry() throws IOException {
        TarArchiveEntry entry = current;
        if (entry == null || entry.isDirectory()) {
            return;
        }
        long size = entry.isSparse() ? entry.getRealSize() : entry.getSize();
        try {
            skip(size - read);
        } catch (UnreadableException e) {
            throw e;
        } catch (IOException e) {
            throw truncated();
        }
    }

    private void skip(long count) throws IOException {
        long left = count;
        while (left > 0) {
            long skipped = tar.skip(left);
            if (skipped == 0) {
                if (tar.read() < 0) {
                    throw truncated();
                }
                skipped = 1;
            }
            left -= skipped;
        }
    }

    private static @Nullable RawEntry raw(TarArchiveEntry entry) {
        String name = entry.getName();
        if (entry.isDirectory()) {
            return new RawEntry(name, EntryType.DIRECTORY, 0, "");
        }
        if (entry.isSymbolicLink()) {
            return new RawEntry(name, EntryType.SYMLINK, 0, entry.getLinkName());
        }
        if (entry.isLink()) {
            return new RawEntry(name, EntryType.HARDLINK, 0, entry.getLinkName());
        }
        if (!entry.isFile() || entry.isFIFO() || entry.isCharacterDevice() || entry.isBlockDevice()) {
            return null;
        }
        return RawEntry.file(name, entry.isSparse() ? entry.getRealSize() : entry.getSize());
    }

    private UnreadableException explained(IOException e) {
        Throwable cause = e.getCause();
        if (cause instanceof UnreadableException malformed) {
            return malformed;
        }
        boolean ended = window.ended() || e instanceof EOFException || cause instanceof EOFException;
        return ended ? truncated() : new UnreadableException("corrupt tar archive", e);
    }

    private static UnreadableException truncated() {
        return new UnreadableException("truncated: the tar archive ends too early");
    }

    private final class EntryStream extends ByteStream {
        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count;
            try {
                count = tar.read(bytes, offset, length);
            } catch (UnreadableException e) {
                throw e;
            } catch (IOException e) {
                throw truncated();
            }
            read += Math.max(count, 0);
            return count;
        }

        @Override
        public int available() throws IOException {
            return tar.available();
        }
    }

    /** A stream that limits the bytes available to the parser of headers, and thus the parser's use of memory. */
    private static final class HeaderWindow extends FilterInputStream {
        private long left = Long.MAX_VALUE;
        private boolean ended;

        HeaderWindow(InputStream in) {
            super(in);
        }

        void limit(long bytes) {
            left = bytes;
        }

        boolean ended() {
            return ended;
        }

        @Override
        public int read() throws IOException {
            spend(1);
            int value = in.read();
            ended |= value < 0;
            return value;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = in.read(bytes, offset, (int) Math.min(length, Math.max(left, 1)));
            ended |= count < 0;
            spend(Math.max(count, 0));
            return count;
        }

        private void spend(long count) throws UnreadableException {
            left -= count;
            if (left < 0) {
                throw new UnreadableException(
                        "corrupt tar archive: a header is longer than " + (MAX_HEADER >> 10) + " KiB");
            }
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }

    static final class TarEntries {
        private TarEntries() {}

        static void walk(InputStream in, PackageWalk walk) throws IOException {
            TarReader tar = new TarReader(in);
            for (RawEntry entry = tar.next(); entry != null; entry = tar.next()) {
                walk.entry(entry, tar.contents());
            }
        }
    }
}
