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
 * The result of stat(2) for a file; {@link FileIdentity} decides whether two files are the same.
 *
 * @param mode the type and permissions as in st_mode
 * @param owner the number of the owner
 * @param group the number of the group
 * @param identity the device, inode, size and times
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
     * Reads a file's status.
     *
     * @throws IOException if the file does not exist or its status cannot be read
     * @throws UnsupportedOperationException if the file system does not support Unix attributes
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

    public boolean isRegular() {
        return (mode & TYPE) == REGULAR;
    }

    public boolean isDirectory() {
        return (mode & TYPE) == DIRECTORY;
    }

    boolean groupWrites() {
        return (mode & GROUP_WRITES) != 0;
    }

    boolean everybodyWrites() {
        return (mode & EVERYBODY_WRITES) != 0;
    }

    public boolean othersWrite() {
        return groupWrites() || everybodyWrites();
    }

    /** Returns whether the sticky bit is set: in such a directory, users can delete only their own files. */
    public boolean isSticky() {
        return (mode & STICKY) != 0;
    }
}
