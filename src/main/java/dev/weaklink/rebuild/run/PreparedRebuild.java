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
 * A rebuild that could be started; nothing was written for it yet.
 *
 * @param request what was asked
 * @param root the tree it is for
 * @param evidence what that shows
 * @param backend what builds
 * @param reason why that one
 * @param job what it is given
 * @param steps what is run, exactly
 * @param obstacles what would make it fail
 * @param run where it will be kept
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

    /** Whether it would fail. */
    public boolean isBlocked() {
        return obstacles.stream().anyMatch(obstacle -> obstacle.weight() == Obstacle.Weight.BLOCKS);
    }

    /** {@code weaklink rebuild} for its kernel and root with these options, runnable as it is. */
    public String command(String options) {
        return "weaklink rebuild --kernel " + ShellWord.of(job.place().kernel()) + " " + options + root.words();
    }

    /** The one that installs what was built. */
    public String installing() {
        return command("--install " + run.host().getFileName());
    }

    /** What the kernel's loader would say to modules, named by file or as they are installed. */
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
