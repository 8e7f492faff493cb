package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class StalledReadsTest {
    private static final Path FILE = Path.of("/mnt/a.ko");

    @Test
    @Timeout(60)
    void reportsACallThatDoesNotReturnOnce() throws Exception {
        BlockingQueue<Path> reported = new LinkedBlockingQueue<>();
        StalledReads.report(3, 5, reported::add);
        CountDownLatch answer = new CountDownLatch(1);
        Thread reader = new Thread(() -> read(answer));
        reader.start();
        assertThat(reported.take()).isEqualTo(FILE);
        assertThat(reported.poll(100, TimeUnit.MILLISECONDS)).isNull();
        answer.countDown();
        reader.join();
    }

    private static void read(CountDownLatch answer) {
        try {
            StalledReads.watched(FILE, () -> {
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return "";
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void reportsNothingAsLongAsCallsReturn() throws Exception {
        BlockingQueue<Path> reported = new LinkedBlockingQueue<>();
        StalledReads.report(200, 1, reported::add);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(600);
        while (System.nanoTime() < end) {
            assertThat(StalledReads.watched(FILE, () -> 1)).isEqualTo(1);
        }
        assertThat(reported).isEmpty();
    }
}
