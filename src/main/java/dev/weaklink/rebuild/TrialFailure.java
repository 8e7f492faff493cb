package dev.weaklink.rebuild;

import dev.weaklink.rebuild.Diagnosis.Cause;
import dev.weaklink.sys.Numbers;
import java.time.Duration;
import java.util.List;

/**
 * The reason for the failure of a trial build. The wording does not mention the trial's directory, which no longer
 * exists.
 *
 * @param line the log line that shows the cause, or the id of the cause if no line does
 * @param next the recommended step
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
        String line = failure.line().isEmpty() ? failure.cause().id() : failure.line();
        String next = failure.next();
        if (failure.cause() == Cause.TIME_LIMIT) {
            line += " (--time-limit: " + Numbers.of((int) limit.toMinutes(), "minute") + ")";
        } else if (failure.cause() == Cause.MEMORY) {
            line = "the build was refused memory: " + line;
            next = "free memory; each process of a trial may use up to 8 GB";
        } else if (failure.cause() == Cause.SPACE) {
            next = "make room below /var/lib/weaklink/trials; a trial may use 8 GB there and 256 MB in /tmp, and leaves"
                    + " 1 GB free";
        }
        if (failure.cause() == Cause.UNKNOWN) {
            next = "see the whole output with 'weaklink rebuild --try -v'";
        }
        for (String directory : directories) {
            line = line.replace(directory, "");
            next = next.replace(directory, "");
        }
        return new TrialFailure(line, next);
    }
}
