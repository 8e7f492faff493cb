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
 * Processes that belong together: those whose environment has a certain entry, which children get from their parents.
 * Unlike a process group or a session, nothing leaves it by setsid(2), and its name is not given to others later.
 */
public final class ProcessGroup {
    private static final Path PROC = Path.of("/proc");
    private static final int ENVIRONMENT_LIMIT = 4 << 20;
    private static final long POLL_MILLIS = 20;

    private final String entry;

    /**
     * The processes with that entry.
     *
     * @param entry {@code NAME=VALUE}; the value must be unlike any other
     */
    public ProcessGroup(String entry) {
        this.entry = entry;
    }

    /** Those that exist now, this process excepted. */
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
            // Without /proc nobody is found.
        }
        return members;
    }

    private boolean isMember(Path process) {
        try (var in = Files.newInputStream(process.resolve("environ"))) {
            String text = new String(in.readNBytes(ENVIRONMENT_LIMIT), StandardCharsets.ISO_8859_1);
            String wanted = new String(entry.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1) + "\0";
            return text.startsWith(wanted) || text.contains("\0" + wanted);
        } catch (IOException e) {
            // It ended meanwhile, or is somebody else's.
            return false;
        }
    }

    /**
     * Ends them: asks first, and kills those that are still there when the time is over, and those they made meanwhile.
     *
     * @return whether none is left
     */
    public boolean end(long graceMillis) {
        long start = System.nanoTime();
        for (ProcessHandle member : members()) {
            member.destroy();
        }
        while (!members().isEmpty() && elapsedMillis(start) < graceMillis && pause()) {
            // Those that ignore the request have until then.
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
