package dev.weaklink.format.archive;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Writes tar archives for tests; names are written unchanged. */
public final class TarWriter {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final TarArchiveOutputStream tar = new TarArchiveOutputStream(out, StandardCharsets.UTF_8.name());

    public TarWriter() {
        tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
        tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
        tar.setAddPaxHeadersForNonAsciiNames(true);
    }

    TarWriter file(String name, String text) {
        return file(name, text.getBytes(StandardCharsets.UTF_8));
    }

    public TarWriter file(String name, byte[] contents) {
        TarArchiveEntry entry = new TarArchiveEntry(name, TarConstants.LF_NORMAL, true);
        entry.setSize(contents.length);
        return write(entry, contents);
    }

    TarWriter directory(String name) {
        return write(new TarArchiveEntry(name, TarConstants.LF_DIR, true), new byte[0]);
    }

    TarWriter symlink(String name, String target) {
        return link(name, target, TarConstants.LF_SYMLINK);
    }

    public TarWriter hardlink(String name, String target) {
        return link(name, target, TarConstants.LF_LINK);
    }

    TarWriter device(String name) {
        return write(new TarArchiveEntry(name, TarConstants.LF_CHR, true), new byte[0]);
    }

    private TarWriter link(String name, String target, byte type) {
        TarArchiveEntry entry = new TarArchiveEntry(name, type, true);
        entry.setLinkName(target);
        return write(entry, new byte[0]);
    }

    private TarWriter write(TarArchiveEntry entry, byte[] contents) {
        try {
            tar.putArchiveEntry(entry);
            tar.write(contents);
            tar.closeArchiveEntry();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Returns the archive with its end records. */
    public byte[] bytes() {
        try {
            tar.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** Returns the entries without end records, as in the first members of an apk package. */
    byte[] withoutEnd() {
        try {
            tar.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }
}
