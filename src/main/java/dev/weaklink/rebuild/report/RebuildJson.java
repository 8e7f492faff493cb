package dev.weaklink.rebuild.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.plan.RebuildGroup.TriedBuild;
import dev.weaklink.rebuild.Preflight.Obstacle;
import dev.weaklink.rebuild.Step;
import dev.weaklink.rebuild.run.PreparedRebuild;
import dev.weaklink.rebuild.run.RebuildPlanner.PlannedRebuild;
import dev.weaklink.rebuild.run.RebuildingApply.RebuildResult;
import java.util.List;
import java.util.Map;

/** Renders the rebuilds of a plan as JSON, as described by src/main/resources/schema/plan.json. */
public final class RebuildJson {
    private RebuildJson() {}

    /**
     * Returns an object for each rebuild.
     *
     * @param rebuilds the rebuilds in the plan, with their obstacles if weaklink has checked for obstacles
     * @param results the results of the rebuilds that were run
     */
    public static List<Object> rebuilds(List<PlannedRebuild> rebuilds, List<RebuildResult> results) {
        return list(rebuilds, one -> rebuild(one, results));
    }

    private static Object rebuild(PlannedRebuild planned, List<RebuildResult> results) {
        RebuildGroup group = planned.group();
        PreparedRebuild prepared = planned.prepared();
        Map<String, Object> json = object(
                "kernel", group.kernel(),
                "units", group.units(),
                "modules", group.modules(),
                "cause", group.cause(),
                "why", group.why().isEmpty() ? null : group.why(),
                "backend", group.backend().isEmpty() ? null : group.backend(),
                "product", group.product().isEmpty() ? null : group.product(),
                "reason", group.reason(),
                "tried", group.tried().isEmpty() ? null : list(group.tried(), RebuildJson::tried),
                "refusal", planned.refusal().isEmpty() ? null : planned.refusal(),
                "obstacles", prepared == null ? null : list(prepared.obstacles(), RebuildJson::obstacle),
                "steps", prepared == null ? null : list(prepared.steps(), Step::commandLine));
        for (RebuildResult result : results) {
            if (result.group().equals(group)) {
                json.putAll(object(
                        "result", result.state().id(),
                        "run", result.run().isEmpty() ? null : result.run(),
                        "failure", result.reason().isEmpty() ? null : result.reason()));
            }
        }
        return json;
    }

    private static Object tried(TriedBuild trial) {
        return object(
                "product", trial.product(),
                "result", trial.result(),
                "line", trial.line().isEmpty() ? null : trial.line(),
                "time", trial.time());
    }

    private static Object obstacle(Obstacle obstacle) {
        return object(
                "id", obstacle.id(),
                "weight", obstacle.weight().id(),
                "message", obstacle.message(),
                "remedy", obstacle.remedy());
    }
}
