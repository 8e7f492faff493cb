package dev.weaklink.sys;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Watches file system calls that may never return. If the server of a network or FUSE file system no longer answers, a
 * call waits in the kernel. Only the end of the whole process can interrupt such a call.
 */
public final class StalledReads {
    private static final Set<PendingCall> PENDING = ConcurrentHashMap.newKeySet();

    private StalledReads() {}

    public interface FileCall<T> {
        T run() throws IOException;
    }

    private static final class PendingCall {
        private final Path file;

        /** The number of ticks since the call began; only the thread of {@link #report} uses this field. */
        private int ticks;

        PendingCall(Path file) {
            this.file = file;
        }
    }

    /** Makes a call that is reported if it does not return. */
    public static <T> T watched(Path file, FileCall<T> call) throws IOException {
        PendingCall pending = new PendingCall(file);
        PENDING.add(pending);
        try {
            return call.run();
        } finally {
            PENDING.remove(pending);
        }
    }

    /** Returns whether a path exists, by a watched call. */
    public static boolean exists(Path path) {
        try {
            return watched(path, () -> Files.exists(path));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Starts a thread that reports each watched call that does not return in time. The thread measures time in its own
     * ticks, so that the time during which the process is stopped does not count.
     */
    public static void report(int ticks, long tickMillis, Consumer<Path> stalled) {
        Thread thread = new Thread(() -> reportForever(ticks, tickMillis, stalled), "stalled-reads");
        thread.setDaemon(true);
        thread.start();
    }

    private static void reportForever(int ticks, long tickMillis, Consumer<Path> stalled) {
        try {
            while (true) {
                Thread.sleep(tickMillis);
                for (PendingCall pending : PENDING) {
                    pending.ticks++;
                    if (pending.ticks == ticks) {
                        stalled.accept(pending.file);
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
