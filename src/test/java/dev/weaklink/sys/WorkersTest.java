package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

class WorkersTest {
    @Test
    void runsEachTaskOnce() {
        AtomicIntegerArray done = new AtomicIntegerArray(1000);
        Workers.start(1000, 4, Workers.all(done::incrementAndGet)).finish();

        for (int i = 0; i < done.length(); i++) {
            assertThat(done.get(i)).isEqualTo(1);
        }
    }

    /** Starts workers of which another thread's first task fails. Returns after that task has begun. */
    private static Workers failing(Error failure) throws InterruptedException {
        Thread caller = Thread.currentThread();
        CountDownLatch begun = new CountDownLatch(1);
        IntConsumer worker = task -> {
            if (Thread.currentThread() != caller) {
                begun.countDown();
                throw failure;
            }
        };
        Workers workers = Workers.start(1 << 20, 2, Workers.all(worker));
        begun.await();
        return workers;
    }

    @Test
    void rethrowsAnOutOfMemoryErrorOfAnotherThread() throws InterruptedException {
        OutOfMemoryError exhausted = new OutOfMemoryError("all of it");

        assertThatThrownBy(failing(exhausted)::finish).isSameAs(exhausted);
        assertThatThrownBy(failing(new AssertionError("wrong"))::finish)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("wrong");
    }
}
