package dev.weaklink.sys;

import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Converts exceptions to readable reasons without the path; the message of an NIO exception is often only the path. */
public final class IoReason {
    private IoReason() {}

    public static String of(IOException e) {
        String reason = e instanceof FileSystemException refused ? refused.getReason() : null;
        if (reason != null) {
            return reason;
        }
        if (e instanceof UnreadableException unreadable) {
            return unreadable.reason();
        }
        if (e instanceof NoSuchFileException) {
            return "no such file";
        }
        if (e instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (e instanceof DirectoryNotEmptyException) {
            return "directory not empty";
        }
        if (e instanceof NotDirectoryException) {
            return "not a directory";
        }
        if (e instanceof UnknownHostException) {
            return "unknown host";
        }
        String message = e.getMessage();
        return message == null ? e.getClass().getSimpleName() : message;
    }
}
