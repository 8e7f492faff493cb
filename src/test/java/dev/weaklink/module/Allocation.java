package dev.weaklink.module;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.Supplier;

/** How much memory the calling thread asks for while it does something. */
final class Allocation {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocation() {}

    /**
     * A result and what it cost.
     *
     * @param bytes allocated on the heap, garbage included
     */
    record Measured<T>(T result, long bytes) {}

    static <T> Measured<T> of(Supplier<T> work) {
        long thread = Thread.currentThread().getId();
        long before = THREADS.getThreadAllocatedBytes(thread);
        T result = work.get();
        return new Measured<>(result, THREADS.getThreadAllocatedBytes(thread) - before);
    }
}
