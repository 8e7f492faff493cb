package dev.weaklink.sys;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Opens regular files, and refuses all others, because another user may have chosen the path. Opening a FIFO would wait
 * for a writer. Virtual files of the kernel are refused, too: reading /proc/kmsg waits for the next message and takes
 * it away from other readers.
 */
public final class RegularFile {
    private static final Set<String> REFUSED = Set.of(
            "bpf",
            "cgroup",
            "cgroup2",
            "configfs",
            "debugfs",
            "fusectl",
            "nfsd",
            "proc",
            "pstore",
            "rpc_pipefs",
            "securityfs",
            "sysfs",
            "tracefs");

    /**
     * A cache that tells for each device number whether the kernel itself provides the device's files, because each
     * look-up reads /proc/mounts.
     */
    private static final Map<Object, Boolean> KERNELS_OWN = new ConcurrentHashMap<>();

    private RegularFile() {}

    /**
     * Returns the size of a regular file in bytes; links are followed.
     *
     * @throws IOException if the file is missing, not permitted, not regular, or provided by the kernel itself
     */
    public static long size(Path file) throws IOException {
        return StalledReads.watched(file, () -> sizeOf(file));
    }

    private static long sizeOf(Path file) throws IOException {
        Map<String, Object> attributes = Files.readAttributes(file, "unix:dev,size,isRegularFile,isDirectory");
        if (!Boolean.TRUE.equals(attributes.get("isRegularFile"))) {
            boolean isDirectory = Boolean.TRUE.equals(attributes.get("isDirectory"));
            throw new UnreadableException(isDirectory ? "is a directory" : "not a regular file");
        }
        if (isKernelsOwn(file, Objects.requireNonNull(attributes.get("dev")))) {
            throw new UnreadableException("is a virtual file of the kernel, not on a disk");
        }
        return ((Number) Objects.requireNonNull(attributes.get("size"))).longValue();
    }

    private static boolean isKernelsOwn(Path file, Object device) throws IOException {
        Boolean known = KERNELS_OWN.get(device);
        if (known == null) {
            known = isOfRefusedType(file);
            KERNELS_OWN.put(device, known);
        }
        return known;
    }

    /**
     * Returns whether the kernel itself provides the file. In a chroot, /proc/mounts may not list the mount of the
     * file, so the path decides.
     */
    private static boolean isOfRefusedType(Path file) throws IOException {
        try {
            return REFUSED.contains(Files.getFileStore(file).type());
        } catch (IOException e) {
            Path real = file.toRealPath();
            return real.startsWith("/proc") || real.startsWith("/sys");
        }
    }

    /**
     * Opens a regular file; links are followed.
     *
     * @throws IOException as {@link #size}
     */
    public static InputStream open(Path file) throws IOException {
        size(file);
        return new WatchedStream(file, StalledReads.watched(file, () -> Files.newInputStream(file)));
    }

    private static final class WatchedStream extends FilterInputStream {
        private final Path file;

        WatchedStream(Path file, InputStream in) {
            super(in);
            this.file = file;
        }

        @Override
        public int read() throws IOException {
            return StalledReads.watched(file, in::read);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            return StalledReads.watched(file, () -> in.read(bytes, offset, length));
        }
    }
}
