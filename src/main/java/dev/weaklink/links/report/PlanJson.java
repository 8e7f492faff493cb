package dev.weaklink.links.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.report.CheckJson;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.KernelPlan.LinkEdit;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.ModulePlan.Action;
import dev.weaklink.links.plan.ModulePlan.Unused;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.loader.Verdict;
import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;

/** Renders a plan as JSON, as described by src/main/resources/schema/plan.json. */
public final class PlanJson {
    private PlanJson() {}

    public static void write(Plan plan, List<Object> rebuilds, List<InputProblem> problems, OutputStream out)
            throws IOException {
        Map<String, Object> counts = object();
        for (Action action : Action.values()) {
            counts.put(action.id(), plan.count(action));
        }
        JsonOutput.writeLine(
                object(
                        "schema", "weaklink.plan/1",
                        "next", plan.next(),
                        "kernels", list(plan.kernels(), PlanJson::kernel),
                        "counts", counts,
                        "overrides", plan.overrides(),
                        "rebuilds", rebuilds,
                        "problems", list(problems, CheckJson::problem)),
                out);
    }

    private static Object kernel(KernelPlan kernel) {
        return object(
                "kernel", kernel.kernel(),
                "modules", list(kernel.modules(), PlanJson::module),
                "needsDepmod", kernel.needsDepmod(),
                "notes", kernel.notes());
    }

    private static Object module(ModulePlan module) {
        Unused unused = module.unused();
        Verdict verdict = module.verdict();
        return object(
                "module", module.module(),
                "unit", module.unit().name(),
                "product", module.unit().product(),
                "action", module.action().id(),
                "state", PlanDecision.state(module).id(),
                "build", module.build(),
                "verdict", module.outcome().name(),
                "reason", module.reason(),
                "advice", module.advice(),
                "unused", unused == null ? null : unused(unused),
                "links", list(module.edits(), PlanJson::edit),
                "findings", CheckJson.findings(verdict == null ? List.of() : verdict.findings()));
    }

    private static Object unused(Unused unused) {
        return object("chosen", unused.chosen(), "override", unused.override());
    }

    private static Object edit(LinkEdit edit) {
        return object("path", edit.path(), "before", edit.before(), "after", edit.after());
    }
}
