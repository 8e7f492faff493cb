package dev.weaklink.rebuild;

import dev.weaklink.rebuild.Preflight.Obstacle;
import java.util.List;

/**
 * A DKMS package that is not built for a kernel, with DKMS's last failed attempt to build the package.
 *
 * @param label the package as {@code name/version}
 * @param kernel the release for which the package is not built
 * @param logged the release for which the attempt was made, from the log; may be another release
 * @param modules the names of the modules that the package builds, sorted
 * @param time the time in the log when DKMS started the build; empty if the log has none
 * @param log the log's path as seen inside the root
 * @param diagnosis the reason for the failure, as far as the log shows it
 */
public record DkmsFailure(
        String label,
        String kernel,
        String logged,
        List<String> modules,
        String time,
        String log,
        Diagnosis diagnosis) {
    private static final int MAX_ERROR = 120;

    public DkmsFailure {
        modules = List.copyOf(modules);
    }

    public Obstacle obstacle() {
        String when = time.isEmpty() ? "" : " at " + time;
        String what = logged.equals(kernel)
                ? "DKMS failed on " + kernel + when + ": " + error()
                : "DKMS has not built this package for " + kernel + ", and failed on " + logged + when + ": " + line();
        return Obstacle.warns("dkms-failed", label + ": " + what, diagnosis.next());
    }

    /**
     * Returns the line that shows the error, shortened and without the build's directory. If the log is of another
     * kernel, "as on" and that kernel precede the line. If no line shows an error, returns a reference to the log.
     */
    public String error() {
        return logged.equals(kernel) || diagnosis.line().isBlank() ? line() : "as on " + logged + ": " + line();
    }

    private String line() {
        String directory = log.substring(0, log.lastIndexOf('/') + 1);
        String line = diagnosis.line().replace(directory, "").strip();
        if (line.isEmpty()) {
            return "see " + log;
        }
        return line.length() > MAX_ERROR ? line.substring(0, MAX_ERROR) + "..." : line;
    }
}
