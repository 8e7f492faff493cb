package dev.weaklink.sys;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** A task that runs in its own thread while the caller does other work. */
public final class BackgroundTask<T> {
    private final FutureTask<T> task;

    private BackgroundTask(FutureTask<T> task) {
        this.task = task;
    }

    /** Starts the task. An unfinished task does not keep the program from exiting. */
    public static <T> BackgroundTask<T> start(Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, "ahead");
        thread.setDaemon(true);
        thread.start();
        return new BackgroundTask<>(task);
    }

    /**
     * Waits for the result, and rethrows an exception of the task; a checked exception is wrapped.
     *
     * @throws UncheckedIOException if the task threw an IOException
     */
    public T get() {
        try {
            return task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for another thread", e);
        } catch (ExecutionException e) {
            throw unchecked(Objects.requireNonNull(e.getCause()));
        }
    }

    /** Waits for the end, whatever the result is. */
    public void await() {
        try {
            task.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            return; // get() throws it
        }
    }

    private static RuntimeException unchecked(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        if (cause instanceof RuntimeException known) {
            return known;
        }
        return cause instanceof IOException reading
                ? new UncheckedIOException(reading)
                : new IllegalStateException("background work failed: " + cause, cause);
    }
}
