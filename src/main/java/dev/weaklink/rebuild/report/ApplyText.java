package dev.weaklink.rebuild.report;

import dev.weaklink.check.report.InstallationAdvice;
import dev.weaklink.check.report.Readiness;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.links.report.PlanDecision;
import dev.weaklink.links.report.PlanTable;
import dev.weaklink.rebuild.run.RebuildPlanner.PlannedRebuild;
import dev.weaklink.rebuild.run.RebuildingApply.RebuildResult;
import dev.weaklink.report.Page;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The text of {@code apply --rebuild}: the changes and rebuilds before they start, and each product's state afterwards.
 */
public final class ApplyText {
    private final Page page;

    public ApplyText(TableOptions options) {
        page = new Page(options);
    }

    /**
     * Returns the changes and then the rebuilds, in the order in which weaklink carries them out.
     *
     * @param advice the advice on kernels, by release
     */
    public String preview(Plan plan, List<PlannedRebuild> rebuilds, Map<String, InstallationAdvice> advice) {
        new PlanTable(page, advice).render(plan);
        boolean starts = rebuilds.stream().anyMatch(one -> one.refusal().isEmpty());
        if (starts && !plan.changesNothing()) {
            page.gap();
            page.line("The links are made first; then the rebuilds run, and links are made to the results.");
        }
        for (PlannedRebuild one : rebuilds) {
            page.gap();
            new RebuildText(page).planned(one);
        }
        return page.text();
    }

    public String renderUnits(Plan plan, List<RebuildResult> rebuilds) {
        Set<RebuildResult> shown = new HashSet<>();
        for (KernelPlan kernel : plan.nextFirst()) {
            for (Map.Entry<String, List<ModulePlan>> product :
                    PlanTable.products(kernel).entrySet()) {
                Readiness state = PlanDecision.state(product.getValue());
                page.line(Escape.text(kernel.kernel())
                        + ": "
                        + Escape.text(product.getKey())
                        + ": "
                        + page.styled(state.style(), state.words())
                        + (state == Readiness.NO_BUILD ? ": built for newer kernels only" : "")
                        + rebuilt(kernel.kernel(), product.getValue(), rebuilds, shown));
            }
        }
        for (RebuildResult one : rebuilds) {
            if (!shown.contains(one)) {
                String units = Escape.text(String.join(", ", one.group().units()));
                page.line(Escape.text(one.group().kernel()) + ": " + units + state(one) + details(one));
            }
        }
        return page.text();
    }

    /**
     * Returns a sentence for each kernel with failed rebuilds. If another kernel loads all modules that could not be
     * rebuilt, the sentence names that kernel.
     *
     * @param all the plan for all kernels, from old to new
     * @param running the running release; empty if no kernel of the root is running
     */
    public String conclusion(Plan all, List<RebuildResult> results, String running) {
        for (String kernel : new TreeSet<>(results.stream()
                .filter(ApplyText::hasFailed)
                .map(one -> one.group().kernel())
                .toList())) {
            Set<String> failed = new TreeSet<>();
            results.forEach(one ->
                    failed.addAll(hasFailed(one) && one.group().kernel().equals(kernel) ? one.modules() : List.of()));
            String stay = "";
            for (KernelPlan other : all.kernels()) {
                boolean isBetter = other.kernel().equals(running) || !stay.equals(running);
                stay = isBetter && !other.kernel().equals(kernel) && loads(other, failed) ? other.kernel() : stay;
            }
            page.sentence(
                    0,
                    "",
                    (stay.isEmpty() ? "No other kernel loads all of " : "Stay with " + Escape.text(stay) + ": ")
                            + Escape.text(String.join(", ", failed))
                            + (stay.isEmpty() ? ", which " : " ")
                            + "could not be built for "
                            + Escape.text(kernel)
                            + ".");
        }
        return page.text();
    }

    private static boolean hasFailed(RebuildResult one) {
        return switch (one.state()) {
            case FAILED, BLOCKED, NOT_INSTALLED, BROKEN -> true;
            case INSTALLED, NOT_NEEDED, BUILT -> false;
        };
    }

    private static boolean loads(KernelPlan kernel, Set<String> modules) {
        Set<String> loaded = new HashSet<>();
        for (ModulePlan module : kernel.modules()) {
            Readiness state = PlanDecision.state(module);
            if (state == Readiness.OK || state == Readiness.LINKED) {
                loaded.add(module.module());
            }
        }
        return kernel.unfinished().isEmpty() && loaded.containsAll(modules);
    }

    /**
     * Returns the result of the kernel's first rebuild with one of these modules; empty if there is none. Adds the
     * rebuild to {@code shown}. Includes the reason and the next step only the first time.
     */
    private static String rebuilt(
            String kernel, List<ModulePlan> modules, List<RebuildResult> rebuilds, Set<RebuildResult> shown) {
        for (RebuildResult one : rebuilds) {
            boolean isOf = one.group().kernel().equals(kernel)
                    && modules.stream().anyMatch(m -> one.modules().contains(m.module()));
            if (isOf) {
                return state(one) + (shown.add(one) ? details(one) : "");
            }
        }
        return "";
    }

    private static String state(RebuildResult result) {
        String words = switch (result.state()) {
            case INSTALLED -> "rebuilt";
            case NOT_NEEDED -> "rebuilt with another product";
            case BUILT -> "rebuilt, not installed";
            case BLOCKED -> "rebuild not started";
            case FAILED -> "rebuild failed";
            case NOT_INSTALLED -> "rebuilt, could not be installed";
            case BROKEN -> "rebuilt, installed in part";
        };
        String run = result.run().substring(result.run().lastIndexOf('/') + 1);
        return ", " + words + (run.isEmpty() ? "" : " (run " + Escape.text(run) + ")");
    }

    private static String details(RebuildResult result) {
        return (result.reason().isEmpty() ? "" : ": " + Escape.text(result.reason()))
                + (result.next().isEmpty() ? "" : "\n  Next: " + Escape.text(result.next()));
    }
}
