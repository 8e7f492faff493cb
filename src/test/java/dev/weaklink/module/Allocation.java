package dev.weaklink.module;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;

/** Measures the memory that the calling thread allocates. */
final class Allocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /**
     * A result and its cost.
     *
     * @param bytes the number of bytes allocated on the heap, garbage included
     */
    record Measured<T>(T result, long bytes) {}

    static <T> Measured<T> of(Supplier<T> work) {
        long thread = Thread.currentThread().getId();
        long before = THREADS.getThreadAllocatedBytes(thread);
        T result = work.get();
        return new Measured<>(result, THREADS.getThreadAllocatedBytes(thread) - before);
    }
}
