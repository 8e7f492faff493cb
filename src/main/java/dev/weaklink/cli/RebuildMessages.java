package dev.weaklink.cli;

import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.run.RebuildRun.RunListener;
import java.nio.file.Path;
import java.util.List;

final class RebuildMessages implements RunListener {
    private final Console console;
    private final boolean verbose;

    RebuildMessages(Console console, boolean verbose) {
        this.console = console;
        this.verbose = verbose;
    }

    void obstacles(List<Obstacle> obstacles) {
        for (Obstacle obstacle : obstacles) {
            String remedy = obstacle.remedy();
            console.message(obstacle.message() + (remedy == null ? "" : "; " + remedy));
        }
    }

    @Override
    public void begun(Path directory) {
        console.message("the log and the results of this run are in " + directory);
    }

    @Override
    public void abandoned(Path directory) {
        console.message("an earlier run was interrupted; removing its files: " + directory);
    }

    @Override
    public void unjudged(Path directory) {
        console.message("an earlier run was interrupted after its build ("
                + directory
                + "); to check and install its results, run 'weaklink rebuild' for this kernel with --install="
                + directory.getFileName());
    }

    @Override
    public void cancelled(Path directory) {
        console.message("the build was aborted, and nothing was installed; log: " + directory.resolve("log"));
    }

    @Override
    public void phase(String what) {
        console.message(what);
    }

    @Override
    public void line(String text) {
        if (verbose) {
            console.hint("  " + text);
        }
    }
}
