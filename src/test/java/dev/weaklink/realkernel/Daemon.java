package dev.weaklink.realkernel;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A program that runs in the foreground until the test stops it. timeout(1) stops the program after a while, so that it
 * does not outlive a killed test.
 */
final class Daemon implements AutoCloseable {
    private static final String MOST_SECONDS = "600";
    private static final int SECONDS_TO_START = 60;
    private static final int SECONDS_TO_STOP = 20;

    private final Process process;
    private final List<String> said = new ArrayList<>();

    private Daemon(Process process) {
        this.process = process;
    }

    /**
     * Starts the program, and returns when the program has printed that it is ready.
     *
     * @param ready part of the line that shows readiness
     */
    static Daemon start(String ready, Map<String, String> environment, List<String> command) throws IOException {
        List<String> words = new ArrayList<>(List.of("timeout", "--kill-after=5", MOST_SECONDS));
        words.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Daemon daemon = new Daemon(builder.start());
        CountDownLatch isReady = new CountDownLatch(1);
        Thread reader = new Thread(() -> daemon.listen(ready, isReady), words.toString());
        reader.setDaemon(true);
        reader.start();
        try {
            boolean inTime = isReady.await(SECONDS_TO_START, TimeUnit.SECONDS);
            if (!inTime || !daemon.process.isAlive()) {
                daemon.close();
                throw new IOException(command + " does not start: " + daemon.said());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            daemon.close();
            throw new IOException(e);
        }
        return daemon;
    }

    private void listen(String ready, CountDownLatch isReady) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (said) {
                    said.add(line);
                }
                if (line.contains(ready)) {
                    isReady.countDown();
                }
            }
        } catch (IOException e) {
            synchronized (said) {
                said.add(e.toString());
            }
        }
        isReady.countDown();
    }

    private String said() {
        synchronized (said) {
            return String.join("\n", said);
        }
    }

    /** Stops the program, and waits for its end. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(SECONDS_TO_STOP, TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
