package dev.weaklink.sys;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Numbered tasks that several threads process; each thread takes the next task. The caller may do other work meanwhile.
 * When the caller waits for the end, its thread helps.
 */
public final class Workers {
    private final int tasks;
    private final Supplier<IntConsumer> worker;
    private final AtomicInteger next = new AtomicInteger();
    private final Thread[] helpers;
    private final Runnable before;
    private volatile @Nullable Throwable failure;

    private Workers(int tasks, int threads, Runnable before, Supplier<IntConsumer> worker) {
        this.tasks = tasks;
        this.worker = worker;
        this.before = before;
        this.helpers = new Thread[Math.min(Math.max(threads - 1, 0), Math.max(tasks - 1, 0))];
    }

    /**
     * Starts the threads.
     *
     * @param threads the number of threads, including the caller's
     * @param worker supplies each thread with a function that processes the task of a given number
     */
    public static Workers start(int tasks, int threads, Supplier<IntConsumer> worker) {
        return start(tasks, threads, () -> {}, worker);
    }

    /** Starts the threads. If there are any besides the caller's, one of them first runs {@code before}. */
    public static Workers start(int tasks, int threads, Runnable before, Supplier<IntConsumer> worker) {
        Workers workers = new Workers(tasks, threads, before, worker);
        for (int i = 0; i < workers.helpers.length; i++) {
            boolean isFirst = i == 0;
            Thread helper = new Thread(() -> workers.help(isFirst), "worker-" + i);
            helper.setDaemon(true);
            helper.start();
            workers.helpers[i] = helper;
        }
        return workers;
    }

    public static Supplier<IntConsumer> all(IntConsumer worker) {
        return new Supplier<>() {
            @Override
            public IntConsumer get() {
                return worker;
            }
        };
    }

    private void help(boolean isFirst) {
        try {
            if (isFirst) {
                before.run();
            }
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
