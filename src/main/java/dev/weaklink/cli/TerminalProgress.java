package dev.weaklink.cli;

import dev.weaklink.sys.Progress;
import java.io.PrintStream;

/** Progress as one line that is redrawn at most ten times a second. */
final class TerminalProgress implements Progress {
    private static final long INTERVAL_NANOS = 100_000_000L;
    private static final int WIDTH = 30;
    private static final String ERASE = "\r\u001b[K";

    private final PrintStream err;
    private final Clock clock;
    private String things = "";
    private int total;
    private int made;
    private long lastDrawn;
    private boolean drawn;

    interface Clock {
        long nanos();
    }

    static Progress on(Console console) {
        return console.terminal().isTerminal(Console.STDERR)
                ? new TerminalProgress(console.err(), System::nanoTime)
                : Progress.NONE;
    }

    TerminalProgress(PrintStream err, Clock clock) {
        this.err = err;
        this.clock = clock;
    }

    @Override
    public synchronized void start(int newTotal, String newThings) {
        total = newTotal;
        things = newThings;
        made = 0;
        lastDrawn = clock.nanos();
    }

    /**
     * Redraws the line if the interval since the last drawing has passed. The first drawing comes one interval after
     * the start, so that short work shows nothing.
     */
    @Override
    public synchronized void step(int count) {
        made += count;
        long now = clock.nanos();
        if (total > 0 && now - lastDrawn >= INTERVAL_NANOS) {
            lastDrawn = now;
            drawn = true;
            err.print(ERASE + line(made, total, things));
            err.flush();
        }
    }

    @Override
    public synchronized void done() {
        total = 0;
        if (drawn) {
            drawn = false;
            err.print(ERASE);
            err.flush();
        }
    }

    static String line(int made, int total, String things) {
        int filled = (int) Math.min(WIDTH, (long) made * WIDTH / total);
        return "[" + "#".repeat(filled) + ".".repeat(WIDTH - filled) + "] " + made + " of " + total + " " + things;
    }
}
