package dev.weaklink.rebuild.report;

import dev.weaklink.check.report.UnitState;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.plan.RebuildGroup.TriedBuild;
import dev.weaklink.links.report.PlanChanges;
import dev.weaklink.rebuild.run.RebuildPlanner.PlannedRebuild;
import dev.weaklink.rebuild.run.RebuildingApply.RebuildResult;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A plan for people: the changes for each kernel with their reasons, then the decision and the next command. */
public final class PlanTable {
    private final Page page;

    public PlanTable(TableOptions options) {
        page = new Page(options);
    }

    /** Returns the changes without the next command. Call this method only once. */
    public String render(Plan plan) {
        for (KernelPlan kernel : plan.nextFirst()) {
            page.gap();
            kernel(kernel, plan);
        }
        return page.text();
    }

    /**
     * Returns the whole text. Call this method only once.
     *
     * @param rebuilds the rebuilds that the plan calls for
     * @param root the {@code --root} option to add to suggested commands; empty for the host
     * @param options the root option and all other options that affect this plan
     * @param complete whether everything could be read
     * @param rebuildable whether {@code apply --rebuild} can start any of the rebuilds
     */
    public String render(
            Plan plan,
            List<RebuildGroup> rebuilds,
            String root,
            String options,
            boolean complete,
            boolean rebuildable) {
        render(plan);
        PlanDecision decision = new PlanDecision(plan, rebuilds, root, options, complete, rebuildable);
        rebuilds(rebuilds, root, decision.next());
        page.gap();
        decision.write(page);
        return page.text();
    }

    /** Returns the changes and then the rebuilds, in the order in which weaklink carries them out. */
    public String preview(Plan plan, List<PlannedRebuild> rebuilds) {
        render(plan);
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

    /** Returns the last line of a plan whose rebuilds can be started. */
    public String decision(Plan plan, String options, boolean complete) {
        new PlanDecision(plan, List.of(), "", options, complete, true).write(page);
        return page.text();
    }

    static Map<String, List<ModulePlan>> products(KernelPlan kernel) {
        Map<String, List<ModulePlan>> products = new TreeMap<>();
        for (ModulePlan module : kernel.modules()) {
            products.computeIfAbsent(module.unit().label(), name -> new ArrayList<>())
                    .add(module);
        }
        return products;
    }

    /** Returns a line for every product on every kernel, with the results of the rebuilds. */
    public String renderUnits(Plan plan, List<RebuildResult> rebuilds) {
        Set<RebuildResult> shown = new HashSet<>();
        for (KernelPlan kernel : plan.nextFirst()) {
            for (Map.Entry<String, List<ModulePlan>> product : products(kernel).entrySet()) {
                UnitState state = PlanDecision.state(product.getValue());
                page.line(Escape.text(kernel.kernel())
                        + ": "
                        + Escape.text(product.getKey())
                        + ": "
                        + page.styled(state.style(), state.words())
                        + (state == UnitState.NO_BUILD ? ": built for newer kernels only" : "")
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
     * Returns a sentence for each kernel with failed rebuilds, which names the kernel to stay with.
     *
     * @param all the plan for all kernels, from old to new
     * @param running the running release; empty if no kernel of the root is running
     */
    public String conclusion(Plan all, List<RebuildResult> results, String running) {
        for (String kernel : new TreeSet<>(results.stream()
                .filter(PlanTable::hasFailed)
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
            UnitState state = PlanDecision.state(module);
            if (state == UnitState.OK || state == UnitState.LINKED) {
                loaded.add(module.module());
            }
        }
        return kernel.unfinished().isEmpty() && loaded.containsAll(modules);
    }

    /**
     * Returns the result of the rebuild of these modules. The reason and the next step appear only once for each
     * rebuild.
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
            case NOT_NEEDED -> "rebuilt with another";
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

    private void kernel(KernelPlan kernel, Plan plan) {
        page.line(page.styled(Style.HEADING, Escape.text(kernel.kernel()))
                + (!kernel.unfinished().isEmpty()
                        ? " (" + page.styled(Style.BAD, "not fully installed") + ")"
                        : kernel.kernel().equals(plan.next()) ? " (boots next)" : ""));
        kernel.unfinished().forEach(sign -> page.sentence(2, "", Escape.text(sign)));
        if (kernel.modules().isEmpty()) {
            page.line("  no out-of-tree modules");
        }
        if (!kernel.needsDepmod().isEmpty()) {
            int modules = kernel.needsDepmod().size();
            page.line("  modules.dep is out of date for " + Numbers.of(modules, "module"));
        }
        kernel.notes().forEach(note -> page.sentence(2, "note:", Escape.text(note)));
        Map<UnitState, Map<String, List<ModulePlan>>> states = byUnit(kernel);
        for (Map.Entry<UnitState, Map<String, List<ModulePlan>>> section : states.entrySet()) {
            section(kernel, section.getKey(), section.getValue());
        }
    }

    /** Returns the modules of each unit by their state, the worst first. */
    private static Map<UnitState, Map<String, List<ModulePlan>>> byUnit(KernelPlan kernel) {
        Map<UnitState, Map<String, List<ModulePlan>>> states = new TreeMap<>(Comparator.reverseOrder());
        byState(kernel.modules()).forEach((state, modules) -> {
            Map<String, List<ModulePlan>> units = new TreeMap<>();
            for (ModulePlan module : modules) {
                units.computeIfAbsent(module.unit().name(), name -> new ArrayList<>())
                        .add(module);
            }
            states.put(state, units);
        });
        return states;
    }

    static Map<UnitState, List<ModulePlan>> byState(List<ModulePlan> modules) {
        Map<UnitState, List<ModulePlan>> states = new TreeMap<>(Comparator.reverseOrder());
        for (ModulePlan module : modules) {
            states.computeIfAbsent(PlanDecision.state(module), state -> new ArrayList<>())
                    .add(module);
        }
        return states;
    }

    private void section(KernelPlan kernel, UnitState state, Map<String, List<ModulePlan>> units) {
        List<ModulePlan> modules = new ArrayList<>();
        List<String> names = new ArrayList<>();
        units.forEach((unit, members) -> {
            modules.addAll(members);
            String product = members.get(0).unit().product();
            names.add(Escape.text(unit) + (product == null ? "" : " (" + Escape.text(product) + ")"));
        });
        String count = Numbers.of(modules.size(), "module");
        String head = page.styled(state.style(), state.words());
        boolean isNamedSo = names.size() == modules.size() && isEachItsOwn(modules);
        page.wrapped(2, head + "  " + (isNamedSo ? count + ":" : count + " of"), page.shortened(names), ",");
        new PlanChanges(page, kernel.kernel()).write(modules);
    }

    private static boolean isEachItsOwn(List<ModulePlan> modules) {
        return modules.stream()
                .noneMatch(module -> !module.module().equals(module.unit().name()));
    }

    /** Writes the rebuilds with their commands, but omits the command that the last line shows. */
    private void rebuilds(List<RebuildGroup> rebuilds, String root, String next) {
        for (RebuildGroup group : rebuilds) {
            page.gap();
            rebuild(page, group, group.reason());
            String step = group.next(root);
            if (!step.equals(next) && group.backend().isEmpty()) {
                page.sentence(2, "", step);
            } else if (!step.equals(next)) {
                page.line("  " + step);
            }
        }
    }

    static void rebuild(Page page, RebuildGroup group, String reason) {
        String backend = group.backend().isEmpty() ? "unknown" : group.backend();
        List<String> units = new ArrayList<>();
        group.units().forEach(unit -> units.add(Escape.text(unit)));
        page.wrapped(
                0,
                page.styled(Style.BAD, "REBUILD")
                        + " for "
                        + Escape.text(group.kernel())
                        + ": "
                        + Numbers.of(group.modules().size(), "module")
                        + (group.units().equals(group.modules()) ? ":" : " of"),
                page.shortened(units),
                ",");
        page.sentence(2, "by:", Escape.text(backend + ", " + reason));
        if (!group.why().isEmpty()) {
            page.sentence(2, "why:", Escape.text(group.why()));
        }
        for (TriedBuild tried : group.tried()) {
            String line = tried.line().isEmpty() ? "" : ": " + tried.line();
            String text = tried.product() + ", " + tried.time() + ": " + tried.words() + line;
            page.sentence(2, "tried:", Escape.text(text));
        }
    }
}
