package dev.weaklink.sys;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Numbered tasks done by several threads, each taking the next one. The caller's thread may do other work meanwhile,
 * and lends a hand when it wants them finished.
 */
public final class Workers {
    private final int tasks;
    private final Supplier<IntConsumer> worker;
    private final AtomicInteger next = new AtomicInteger();
    private final Thread[] helpers;
    private volatile @Nullable Throwable failure;

    private Workers(int tasks, int threads, Supplier<IntConsumer> worker) {
        this.tasks = tasks;
        this.worker = worker;
        this.helpers = new Thread[Math.min(Math.max(threads - 1, 0), Math.max(tasks - 1, 0))];
    }

    /**
     * Starts.
     *
     * @param threads how many threads work in the end, the caller's included
     * @param worker makes for each thread what does a task, given its number
     */
    public static Workers start(int tasks, int threads, Supplier<IntConsumer> worker) {
        Workers workers = new Workers(tasks, threads, worker);
        for (int i = 0; i < workers.helpers.length; i++) {
            Thread helper = new Thread(workers::help, "worker-" + i);
            helper.setDaemon(true);
            helper.start();
            workers.helpers[i] = helper;
        }
        return workers;
    }

    /** The same worker for all threads. */
    public static Supplier<IntConsumer> all(IntConsumer worker) {
        return new Supplier<>() {
            @Override
            public IntConsumer get() {
                return worker;
            }
        };
    }

    private void help() {
        try {
            work();
        } catch (RuntimeException | Error e) {
            failure = e;
        }
    }

    private void work() {
        int task = next.getAndIncrement();
        if (task >= tasks) {
            return;
        }
        for (IntConsumer mine = worker.get(); task < tasks; task = next.getAndIncrement()) {
            mine.accept(task);
        }
    }

    /** Does what is left and waits until everything is done. */
    public void finish() {
        work();
        boolean interrupted = false;
        for (int i = 0; i < helpers.length; ) {
            try {
                helpers[i].join();
                i++;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        Throwable failed = failure;
        if (failed instanceof OutOfMemoryError exhausted) {
            throw exhausted;
        }
        if (failed != null) {
            throw new IllegalStateException("a worker failed: " + failed, failed);
        }
    }
}
