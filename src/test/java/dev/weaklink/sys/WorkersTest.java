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

    @Test
    void oneThreadDoesOtherWorkFirst() throws InterruptedException {
        CountDownLatch others = new CountDownLatch(1);
        AtomicIntegerArray done = new AtomicIntegerArray(3);
        Thread caller = Thread.currentThread();
        Runnable before = () -> {
            await(others);
            done.set(2, Thread.currentThread() == caller ? 0 : 1);
        };
        Workers workers = Workers.start(2, 2, before, Workers.all(task -> {
            done.incrementAndGet(task);
            others.countDown();
        }));
        workers.finish();

        assertThat(done.toString()).isEqualTo("[1, 1, 1]");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
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
