package dev.weaklink.links.report;

import dev.weaklink.check.report.InstallationAdvice;
import dev.weaklink.check.report.Readiness;
import dev.weaklink.links.plan.KernelPlan;
import dev.weaklink.links.plan.ModulePlan;
import dev.weaklink.links.plan.Plan;
import dev.weaklink.links.plan.RebuildGroup;
import dev.weaklink.links.plan.RebuildGroup.TriedBuild;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import dev.weaklink.system.initramfs.UnfinishedInstallation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A plan for people: the changes for each kernel with their reasons, then the decision and the next command. */
public final class PlanTable {
    private final Page page;
    private final Map<String, InstallationAdvice> advice;

    public PlanTable(TableOptions options) {
        this(options, Map.of());
    }

    public PlanTable(TableOptions options, Map<String, InstallationAdvice> advice) {
        this(new Page(options), advice);
    }

    public PlanTable(Page page, Map<String, InstallationAdvice> advice) {
        this.page = page;
        this.advice = Map.copyOf(advice);
    }

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
     * @param complete true if everything could be read
     * @param rebuildable true if {@code apply --rebuild} can start any of the rebuilds
     */
    public String render(
            Plan plan,
            List<RebuildGroup> rebuilds,
            String root,
            String options,
            boolean complete,
            boolean rebuildable) {
        render(plan);
        PlanDecision decision =
                new PlanDecision(plan, rebuilds, root, options, complete, rebuildable, unfinished(plan));
        rebuilds(rebuilds, root, decision.steps());
        page.gap();
        decision.write(page);
        return page.text();
    }

    private InstallationAdvice unfinished(Plan plan) {
        for (KernelPlan kernel : plan.nextFirst()) {
            InstallationAdvice given = advice.getOrDefault(kernel.kernel(), InstallationAdvice.NONE);
            if (given.isUnfinished()) {
                return given;
            }
        }
        return InstallationAdvice.NONE;
    }

    /** Adds the last lines of a plan, which may suggest {@code apply --rebuild}, and returns the whole text. */
    public String decision(Plan plan, String options, boolean complete) {
        new PlanDecision(plan, List.of(), "", options, complete, true, unfinished(plan)).write(page);
        return page.text();
    }

    public static Map<String, List<ModulePlan>> products(KernelPlan kernel) {
        Map<String, List<ModulePlan>> products = new TreeMap<>();
        for (ModulePlan module : kernel.modules()) {
            products.computeIfAbsent(module.unit().label(), name -> new ArrayList<>())
                    .add(module);
        }
        return products;
    }

    private void kernel(KernelPlan kernel, Plan plan) {
        page.line(page.styled(Style.HEADING, Escape.text(kernel.kernel()))
                + (!kernel.unfinished().isEmpty()
                        ? " (" + page.styled(Style.BAD, "not fully installed") + ")"
                        : kernel.kernel().equals(plan.next()) ? " (boots next)" : ""));
        InstallationAdvice given = advice.getOrDefault(kernel.kernel(), InstallationAdvice.NONE);
        for (UnfinishedInstallation sign : kernel.unfinished()) {
            String next = given.isUnfinished() ? "" : "; next: " + sign.next();
            page.sentence(2, "", Escape.text(sign.reason() + next));
        }
        given.causes().forEach(cause -> page.sentence(2, "", Escape.text(cause)));
        if (!given.isUnfinished()) {
            given.writeNext(page, 2, "next:");
        }
        if (kernel.modules().isEmpty()) {
            page.line("  no out-of-tree modules");
        }
        if (!kernel.needsDepmod().isEmpty()) {
            int modules = kernel.needsDepmod().size();
            page.line("  modules.dep is out of date for " + Numbers.of(modules, "module"));
        }
        kernel.notes().forEach(note -> page.sentence(2, "note:", Escape.text(note)));
        Map<Readiness, Map<String, List<ModulePlan>>> states = byUnit(kernel);
        for (Map.Entry<Readiness, Map<String, List<ModulePlan>>> section : states.entrySet()) {
            section(kernel, section.getKey(), section.getValue());
        }
    }

    private static Map<Readiness, Map<String, List<ModulePlan>>> byUnit(KernelPlan kernel) {
        Map<Readiness, Map<String, List<ModulePlan>>> states = new TreeMap<>(Comparator.reverseOrder());
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

    public static Map<Readiness, List<ModulePlan>> byState(List<ModulePlan> modules) {
        Map<Readiness, List<ModulePlan>> states = new TreeMap<>(Comparator.reverseOrder());
        for (ModulePlan module : modules) {
            states.computeIfAbsent(PlanDecision.state(module), state -> new ArrayList<>())
                    .add(module);
        }
        return states;
    }

    private void section(KernelPlan kernel, Readiness state, Map<String, List<ModulePlan>> units) {
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

    private void rebuilds(List<RebuildGroup> rebuilds, String root, List<String> last) {
        for (RebuildGroup group : rebuilds) {
            page.gap();
            rebuild(page, group, group.reason());
            String step = group.next(root);
            if (!last.contains(step) && !group.canBeTried()) {
                page.sentence(2, "", step);
            } else if (!last.contains(step)) {
                page.line("  " + step);
            }
        }
    }

    public static void rebuild(Page page, RebuildGroup group, String reason) {
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
