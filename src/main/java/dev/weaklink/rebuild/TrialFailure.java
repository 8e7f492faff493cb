package dev.weaklink.rebuild;

import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.sys.Numbers;
import java.time.Duration;
import java.util.List;

/**
 * The reason for the failure of a trial build. The wording does not mention the trial's directory, which no longer
 * exists.
 *
 * @param line the log line that shows the cause, or a sentence about the cause if no line does
 * @param next the recommended step; empty if the line contains all that is known
 */
public record TrialFailure(String line, String next) {
    /**
     * Describes the failure of a trial build.
     *
     * @param limit the time limit of a build
     * @param directories the trial's own directories, which are removed from paths in messages; longer directories
     *     first
     */
    public static TrialFailure of(Diagnosis failure, Duration limit, List<String> directories) {
        String line = failure.line();
        String next = failure.next();
        if (line.isEmpty() && failure.cause() != Cause.UNKNOWN) {
            line = next.isEmpty() ? failure.cause().id() : next;
            next = "";
        } else if (line.isEmpty()) {
            line = "the build failed without a message";
        }
        if (failure.cause() == Cause.TIME_LIMIT) {
            line += " (--time-limit: " + Numbers.of((int) limit.toMinutes(), "minute") + ")";
        } else if (failure.cause() == Cause.MEMORY) {
            line = "the build was refused memory: " + line;
            next = "make more memory available, or build without --try: a process of a trial gets at most 8 GiB";
        } else if (failure.cause() == Cause.SPACE) {
            next = "make room below /var/lib/weaklink/trials; a trial may use 8 GiB and a million files there, and"
                    + " 256 MiB in /tmp, and must leave up to 1 GiB free";
        }
        if (failure.cause() == Cause.UNKNOWN) {
            next = "to see the whole output, repeat the trial with -v, as in: weaklink rebuild --try --kernel K -v";
        }
        return new TrialFailure(without(directories, line), without(directories, next));
    }

    /** Returns the text without the trial's own directories. */
    public static String without(List<String> directories, String text) {
        String left = text;
        for (String directory : directories) {
            left = left.replace(directory, "");
        }
        return left;
    }
}
