package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.TerminalText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/**
 * Receives the output of a build. The log file receives the output unchanged, up to a size limit. A listener receives
 * the lines that are not empty, without control sequences; long lines are cut.
 */
final class LogWriter {
    private static final long LOG_LIMIT = 512L << 20;
    private static final int LINE_LIMIT = 4096;
    private static final int LINES_KEPT = 5000;

    private final OutputStream log;
    private final Consumer<String> follower;
    private final Deque<String> first = new ArrayDeque<>();
    private final Deque<String> last = new ArrayDeque<>();
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long written;

    LogWriter(OutputStream log, Consumer<String> follower) {
        this.log = log;
        this.follower = follower;
    }

    void drain(InputStream output) {
        byte[] buffer = new byte[8192];
        try (output) {
            for (int count = output.read(buffer); count >= 0; count = output.read(buffer)) {
                add(buffer, count);
            }
        } catch (IOException e) {
            // The stream was closed during reading, so the output has ended.
        }
        endLine();
    }

    private synchronized void add(byte[] bytes, int count) {
        write(bytes, count);
        for (int i = 0; i < count; i++) {
            if (bytes[i] == '\n' || bytes[i] == '\r') {
                endLine();
            } else if (line.size() < LINE_LIMIT) {
                line.write(bytes[i]);
            }
        }
    }

    private void write(byte[] bytes, int count) {
        int room = (int) Math.min(count, LOG_LIMIT - written);
        try {
            log.write(bytes, 0, room);
            written += room;
        } catch (IOException e) {
            // The disk may be full, which the build will report. The listener still receives the lines.
            written = LOG_LIMIT;
        }
    }

    private synchronized void endLine() {
        if (line.size() == 0) {
            return;
        }
        String text = TerminalText.plain(line.toString(StandardCharsets.UTF_8)).stripTrailing();
        line.reset();
        if (text.isEmpty()) {
            return;
        }
        if (first.size() < LINES_KEPT) {
            first.add(text);
        } else {
            last.add(text);
            if (last.size() > LINES_KEPT) {
                last.remove();
            }
        }
        follower.accept(text);
    }

    /** Returns the first and the last lines; lines between them may be missing. */
    synchronized List<String> lines() {
        List<String> lines = new ArrayList<>(first);
        lines.addAll(last);
        return lines;
    }
}
