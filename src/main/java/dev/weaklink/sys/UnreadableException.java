package dev.weaklink.sys;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An exception for a file, or bytes of a file, that cannot be read or are invalid. The message is one line: the file's
 * name if it is known, then the reason.
 */
public final class UnreadableException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    public enum UnreadableKind {
        DAMAGED,
        OTHER_FORMAT,
        OVER_LIMIT,
        /**
         * A file inside an archive has another digest than the archive states; the rest of the archive may be valid.
         */
        OTHER_DIGEST,
        /** A file or record inside a larger file is invalid or too long; the rest of the larger file may be valid. */
        CONTENTS
    }

    private final UnreadableKind kind;
    private final @Nullable String file;
    private final String reason;

    public UnreadableException(String reason) {
        this(UnreadableKind.DAMAGED, null, reason, null);
    }

    public UnreadableException(UnreadableKind kind, String reason) {
        this(kind, null, reason, null);
    }

    public UnreadableException(String reason, Throwable cause) {
        this(UnreadableKind.DAMAGED, null, reason, cause);
    }

    private UnreadableException(UnreadableKind kind, @Nullable String file, String reason, @Nullable Throwable cause) {
        super(file == null ? reason : file + ": " + reason, cause);
        this.kind = kind;
        this.file = file;
        this.reason = reason;
    }

    /** Returns an exception for a file whose bytes could be read, but not decompressed. */
    public static UnreadableException contents(String file, IOException e) {
        return new UnreadableException(UnreadableKind.CONTENTS, file, IoReason.of(e), e);
    }

    public static UnreadableException of(String file, String reason, @Nullable Throwable cause) {
        return new UnreadableException(UnreadableKind.DAMAGED, file, reason, cause);
    }

    /**
     * Converts an exception to one that names the file. An UnreadableException that already names a file is returned
     * unchanged.
     */
    public static UnreadableException of(Path file, IOException e) {
        return of(file.toString(), e);
    }

    public static UnreadableException of(String file, IOException e) {
        if (e instanceof UnreadableException known) {
            return known.file != null ? known : new UnreadableException(known.kind, file, known.reason, e);
        }
        return of(file, IoReason.of(e), e);
    }

    public UnreadableKind kind() {
        return kind;
    }

    public String reason() {
        return reason;
    }
}
