package dev.weaklink.sys;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A set of related processes, marked by an environment variable that children inherit. A process could leave a process
 * group or session by setsid(2), but stays in the set as long as it keeps its environment. The marker is never reused.
 */
public final class ProcessGroup {
    private static final Path PROC = Path.of("/proc");
    private static final int ENVIRONMENT_LIMIT = 4 << 20;
    private static final long POLL_MILLIS = 20;

    private final String entry;

    /**
     * Creates the set of processes with an environment variable.
     *
     * @param entry {@code NAME=VALUE}; the value must be unique
     */
    public ProcessGroup(String entry) {
        this.entry = entry;
    }

    public List<ProcessHandle> members() {
        List<ProcessHandle> members = new ArrayList<>();
        long self = ProcessHandle.current().pid();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                long pid = Long.parseLong(String.valueOf(process.getFileName()));
                if (pid != self && isMember(process)) {
                    ProcessHandle.of(pid).ifPresent(members::add);
                }
            }
        } catch (IOException | DirectoryIteratorException | NumberFormatException e) {
            // without /proc, no members are found
        }
        return members;
    }

    private boolean isMember(Path process) {
        try (var in = Files.newInputStream(process.resolve("environ"))) {
            String text = new String(in.readNBytes(ENVIRONMENT_LIMIT), StandardCharsets.ISO_8859_1);
            String wanted = new String(entry.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1) + "\0";
            return text.startsWith(wanted) || text.contains("\0" + wanted);
        } catch (IOException e) {
            // the process has ended, or belongs to another user
            return false;
        }
    }

    /**
     * Terminates the members. Members that are still running after the grace period are killed, together with their new
     * children.
     *
     * @return whether no member is left
     */
    public boolean end(long graceMillis) {
        long start = System.nanoTime();
        for (ProcessHandle member : members()) {
            member.destroy();
        }
        while (!members().isEmpty() && elapsedMillis(start) < graceMillis && pause()) {
            // Members that ignore the signal have time until the end of the grace period.
        }
        for (int round = 0; round < 50; round++) {
            List<ProcessHandle> left = members();
            if (left.isEmpty()) {
                return true;
            }
            left.forEach(ProcessHandle::destroyForcibly);
            pause();
        }
        return members().isEmpty();
    }

    private static long elapsedMillis(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    private static boolean pause() {
        try {
            Thread.sleep(POLL_MILLIS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
