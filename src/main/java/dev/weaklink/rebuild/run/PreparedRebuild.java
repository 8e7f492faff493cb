package dev.weaklink.rebuild.run;

import dev.weaklink.check.CheckRequest;
import dev.weaklink.check.Checker;
import dev.weaklink.check.ReadOptions;
import dev.weaklink.check.result.CheckReport;
import dev.weaklink.rebuild.Backend;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.Job;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.Step;
import dev.weaklink.sys.Progress;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.ShellWord;
import java.io.InputStream;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * A rebuild with all that is needed to start it, or to judge and install the result of an earlier run.
 *
 * @param root the root directory of the system to build for
 * @param evidence the facts of that system
 * @param reason the reason for choosing the backend
 * @param job the description of the build
 * @param steps the exact commands; empty for an earlier run
 * @param run the directory of the run
 */
public record PreparedRebuild(
        RebuildRequest request,
        Root root,
        Evidence evidence,
        Backend backend,
        String reason,
        Job job,
        List<Step> steps,
        List<Obstacle> obstacles,
        RunDirectory run) {
    public PreparedRebuild {
        steps = List.copyOf(steps);
        obstacles = List.copyOf(obstacles);
    }

    public boolean isBlocked() {
        return obstacles.stream().anyMatch(obstacle -> obstacle.weight() == Obstacle.Weight.BLOCKS);
    }

    public String command(String options) {
        return "weaklink rebuild --kernel " + ShellWord.of(job.place().kernel()) + " " + options + root.words();
    }

    public String installing() {
        return command("--install " + run.host().getFileName());
    }

    CheckReport check(Collection<String> modules) {
        return Checker.check(
                new CheckRequest(
                        request.root(),
                        List.copyOf(modules),
                        List.of(job.place().kernel()),
                        null,
                        false,
                        Map.of(),
                        List.of(),
                        ReadOptions.uncached(request.jobs()),
                        InputStream.nullInputStream()),
                Progress.NONE);
    }
}
