package dev.weaklink.sys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BackgroundTaskTest {
    @Test
    void worksWhileTheCallerDoesSomethingElse() {
        CountDownLatch callerIsElsewhere = new CountDownLatch(1);
        BackgroundTask<Boolean> ahead = BackgroundTask.start(() -> callerIsElsewhere.await(1, TimeUnit.MINUTES));
        callerIsElsewhere.countDown();

        assertThat(ahead.get()).isTrue();
        assertThat(ahead.get()).as("asked a second time").isTrue();
    }

    @Test
    void rethrowsExceptionsOfTheTask() {
        BackgroundTask<String> unreadable = BackgroundTask.start(() -> {
            throw new FileNotFoundException("gone");
        });
        BackgroundTask<String> wrong = BackgroundTask.start(() -> {
            throw new IllegalArgumentException("wrong");
        });
        BackgroundTask<String> exhausted = BackgroundTask.start(() -> {
            throw new OutOfMemoryError("all of it");
        });

        assertThatThrownBy(unreadable::get)
                .isInstanceOf(UncheckedIOException.class)
                .hasCauseInstanceOf(FileNotFoundException.class);
        assertThatThrownBy(wrong::get)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("wrong");
        assertThatThrownBy(exhausted::get).isInstanceOf(OutOfMemoryError.class);
    }
}
