package dev.weaklink.sys;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * What stat(2) says of a file; {@link FileIdentity} says when two are the same.
 *
 * @param mode type and permissions as in st_mode
 * @param owner number of the user it belongs to
 * @param group number of its group
 * @param identity the rest
 */
public record FileStatus(int mode, int owner, int group, FileIdentity identity) {
    private static final String ATTRIBUTES = "unix:mode,uid,gid,dev,ino,size,lastModifiedTime,ctime";
    private static final int TYPE = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int REGULAR = 0100000;
    private static final int STICKY = 01000;
    private static final int GROUP_WRITES = 0020;
    private static final int EVERYBODY_WRITES = 0002;

    /**
     * Asks for a file's status.
     *
     * @throws IOException if there is no such file or it cannot be checked
     * @throws UnsupportedOperationException if the file system is none of Unix
     */
    public static FileStatus of(Path file, LinkOption... options) throws IOException {
        Map<String, Object> found = Files.readAttributes(file, ATTRIBUTES, options);
        FileIdentity identity = new FileIdentity(
                number(found, "dev"),
                number(found, "ino"),
                number(found, "size"),
                nanos(found, "lastModifiedTime"),
                nanos(found, "ctime"));
        return new FileStatus(
                (int) number(found, "mode"), (int) number(found, "uid"), (int) number(found, "gid"), identity);
    }

    private static long number(Map<String, Object> found, String name) {
        return ((Number) Objects.requireNonNull(found.get(name))).longValue();
    }

    private static long nanos(Map<String, Object> found, String name) {
        return ((FileTime) Objects.requireNonNull(found.get(name))).to(TimeUnit.NANOSECONDS);
    }

    /** Whether it is a regular file. */
    public boolean isRegular() {
        return (mode & TYPE) == REGULAR;
    }

    /** Whether it is a directory. */
    public boolean isDirectory() {
        return (mode & TYPE) == DIRECTORY;
    }

    /** Whether its group may write to it. */
    boolean groupWrites() {
        return (mode & GROUP_WRITES) != 0;
    }

    /** Whether everybody may write to it. */
    boolean everybodyWrites() {
        return (mode & EVERYBODY_WRITES) != 0;
    }

    /** Whether its group or everybody may write to it. */
    public boolean othersWrite() {
        return groupWrites() || everybodyWrites();
    }

    /** Whether, in this directory, everybody can remove only what is theirs. */
    public boolean isSticky() {
        return (mode & STICKY) != 0;
    }
}
