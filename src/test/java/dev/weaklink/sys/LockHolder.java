package dev.weaklink.sys;

import java.nio.file.Path;
import java.time.Duration;

/** A process that acquires a lock, reports it, and holds the lock until the process is killed. */
final class LockHolder {
    private LockHolder() {}

    public static void main(String... arguments) throws Exception {
        if (arguments.length > 1) {
            System.out.print(LockFile.heldBy(Path.of(arguments[0])) == null ? "free" : "held");
            return;
        }
        try (LockFile lock =
                LockFile.acquire(Path.of(arguments[0]), "the other command", Duration.ofSeconds(10), holder -> {})) {
            System.out.print(lock == null ? "N" : "L");
            System.out.flush();
            Thread.currentThread().join();
        }
    }
}
