package dev.weaklink.sys;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Something is not what it should be, or cannot be had: a file, or bytes of one. The message is one line: the reason,
 * with the file's name before it where the file is known.
 */
public final class UnreadableException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    /** What a caller does differently about. */
    public enum Kind {
        /** It cannot be had, or cannot be made sense of. */
        DAMAGED,
        /** It is of another format, and may be fine as that. */
        OTHER_FORMAT,
        /** Reading on costs more than may be spent. */
        OVER_LIMIT,
        /** One file in it has another digest than is stated; what follows may be fine. */
        OTHER_DIGEST,
        /** One file or record in it makes no sense or is too long; what follows may be fine. */
        CONTENTS
    }

    private final Kind kind;
    private final @Nullable String file;
    private final String reason;

    /** Of bytes whose reader does not know what file they are of. */
    public UnreadableException(String reason) {
        this(Kind.DAMAGED, null, reason, null);
    }

    /** Of bytes whose reader does not know what file they are of. */
    public UnreadableException(Kind kind, String reason) {
        this(kind, null, reason, null);
    }

    /** Of bytes whose reader does not know what file they are of. */
    public UnreadableException(String reason, Throwable cause) {
        this(Kind.DAMAGED, null, reason, cause);
    }

    private UnreadableException(Kind kind, @Nullable String file, String reason, @Nullable Throwable cause) {
        super(file == null ? reason : file + ": " + reason, cause);
        this.kind = kind;
        this.file = file;
        this.reason = reason;
    }

    /** Of a file whose bytes could all be had, but not what is packed in them. */
    public static UnreadableException contents(String file, IOException e) {
        return new UnreadableException(Kind.CONTENTS, file, IoReason.of(e), e);
    }

    /** Of a file. */
    public static UnreadableException of(String file, String reason, @Nullable Throwable cause) {
        return new UnreadableException(Kind.DAMAGED, file, reason, cause);
    }

    /** Of the file that was being read; one that is named already stays. */
    public static UnreadableException of(Path file, IOException e) {
        return of(file.toString(), e);
    }

    /** Of the file that was being read; one that is named already stays. */
    public static UnreadableException of(String file, IOException e) {
        if (e instanceof UnreadableException known) {
            return known.file != null ? known : new UnreadableException(known.kind, file, known.reason, e);
        }
        return of(file, IoReason.of(e), e);
    }

    public Kind kind() {
        return kind;
    }

    /** What is wrong, without the file's name. */
    public String reason() {
        return reason;
    }
}
