package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Step;
import dev.weaklink.sys.ProcessGroup;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs the programs of one build, each in a session without a terminal. Ends a program and all its children at the time
 * limit, at the disk limit or on request.
 */
final class Supervisor {
    /** The environment variable that marks all processes of a run; its value is the run's directory. */
    static final String MARK = "WEAKLINK_REBUILD";

    private static final long GRACE_MILLIS = 5_000;
    private static final long DRAIN_MILLIS = 5_000;
    private static final long POLL_MILLIS = 200;

    private final ProcessGroup group;
    private final String mark;
    private final Duration limit;
    private final DiskWatch disk;
    private volatile boolean cancelled;

    Supervisor(String mark, Duration limit) {
        this(mark, limit, () -> false);
    }

    Supervisor(String mark, Duration limit, DiskWatch disk) {
        this.disk = disk;
        this.mark = mark;
        this.group = new ProcessGroup(MARK + "=" + mark);
        this.limit = limit;
    }

    interface DiskWatch {
        boolean isExceeded();
    }

    record ProgramEnd(int status, How how) {}

    enum How {
        BY_ITSELF,
        TIME_LIMIT,
        DISK_LIMIT,
        CANCELLED
    }

    /**
     * Runs a program until it ends or is ended, and then ends its remaining children.
     *
     * @param environment the environment variables for the program, in addition to the step's own
     * @throws IOException if the program cannot be started
     */
    ProgramEnd run(Step step, Path work, Map<String, String> environment, LogWriter log) throws IOException {
        if (cancelled) {
            return new ProgramEnd(-1, How.CANCELLED);
        }
        Process process = start(step, work, environment);
        Thread reader = new Thread(() -> log.drain(process.getInputStream()), "output of a build");
        reader.setDaemon(true);
        reader.start();
        How how = await(process, System.nanoTime() + limit.toNanos());
        group.end(how == How.BY_ITSELF ? 0 : GRACE_MILLIS);
        try {
            int status = process.waitFor();
            reader.join(DRAIN_MILLIS);
            return new ProgramEnd(status, cancelled ? How.CANCELLED : how);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new ProgramEnd(-1, How.CANCELLED);
        }
    }

    private How await(Process process, long deadline) {
        try {
            while (!process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                if (cancelled) {
                    return How.CANCELLED;
                }
                if (System.nanoTime() - deadline >= 0) {
                    return How.TIME_LIMIT;
                }
                if (disk.isExceeded()) {
                    return How.DISK_LIMIT;
                }
            }
            return How.BY_ITSELF;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return How.CANCELLED;
        }
    }

    private Process start(Step step, Path work, Map<String, String> environment) throws IOException {
        List<String> words = new ArrayList<>(List.of("setsid", "--"));
        words.addAll(step.words());
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
        String directory = step.directory();
        builder.directory(directory == null ? work.toFile() : new File(directory));
        builder.environment().clear();
        builder.environment().putAll(ProgramSearch.complete(environment));
        builder.environment().put("LC_ALL", "C");
        builder.environment().putAll(step.environment());
        builder.environment().put(MARK, mark);
        return builder.start();
    }

    /**
     * Ends the running program and lets no other program start. Another thread calls this method while {@link #run}
     * waits.
     */
    void cancel() {
        cancelled = true;
        group.end(GRACE_MILLIS);
    }

    boolean isCancelled() {
        return cancelled;
    }
}
