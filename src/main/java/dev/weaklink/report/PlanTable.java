package dev.weaklink.report;

import dev.weaklink.plan.KernelPlan;
import dev.weaklink.plan.ModulePlan;
import dev.weaklink.plan.Plan;
import dev.weaklink.rebuild.RebuildGroup;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A plan for people: per kernel what changes, and why; then the decision and the next command. */
public final class PlanTable {
  private final Page page;

  public PlanTable(TableOptions options) {
    page = new Page(options);
  }

  /** What changes, and nothing of what to do next; to be used once. */
  public String render(Plan plan) {
    for (KernelPlan kernel : plan.nextFirst()) {
      page.gap();
      kernel(kernel, plan);
    }
    return page.text();
  }

  /**
   * The whole text; to be used once.
   *
   * @param rebuilds the rebuilds it calls for
   * @param root what names the root in a command; empty if nothing need be said
   * @param options the same, and all else that this plan was asked with
   * @param complete whether everything could be read
   */
  public String render(
      Plan plan, List<RebuildGroup> rebuilds, String root, String options, boolean complete) {
    render(plan);
    PlanDecision decision = new PlanDecision(plan, rebuilds, root, options, complete);
    rebuilds(rebuilds, root, decision.next());
    page.gap();
    decision.write(page);
    return page.text();
  }

  /** Per kernel and product one line: kernel, product and state. */
  public String renderUnits(Plan plan) {
    for (KernelPlan kernel : plan.nextFirst()) {
      Map<String, List<ModulePlan>> products = new TreeMap<>();
      for (ModulePlan module : kernel.modules()) {
        products.computeIfAbsent(module.unit().label(), name -> new ArrayList<>()).add(module);
      }
      for (Map.Entry<String, List<ModulePlan>> product : products.entrySet()) {
        UnitState state = UnitState.of(product.getValue());
        page.line(
            Escape.text(kernel.kernel())
                + ": "
                + Escape.text(product.getKey())
                + ": "
                + page.styled(state.style(), state.words()));
      }
    }
    return page.text();
  }

  private void kernel(KernelPlan kernel, Plan plan) {
    page.line(
        page.styled(Style.HEADING, Escape.text(kernel.kernel()))
            + (kernel.kernel().equals(plan.next()) ? " (boots next)" : ""));
    if (kernel.modules().isEmpty()) {
      page.line("  no out-of-tree modules");
    }
    if (!kernel.needsDepmod().isEmpty()) {
      int links = kernel.needsDepmod().size();
      page.line("  modules.dep is out of date for " + Numbers.of(links, "link"));
    }
    if (!kernel.largest()) {
      page.sentence(2, "", "a larger choice may exist: the search for it was cut short");
    }
    Map<UnitState, Map<String, List<ModulePlan>>> states = byState(kernel);
    for (Map.Entry<UnitState, Map<String, List<ModulePlan>>> section : states.entrySet()) {
      section(kernel, section.getKey(), section.getValue());
    }
  }

  /** Units by how they stand, the worst first. */
  private static Map<UnitState, Map<String, List<ModulePlan>>> byState(KernelPlan kernel) {
    Map<String, List<ModulePlan>> units = new TreeMap<>();
    for (ModulePlan module : kernel.modules()) {
      units.computeIfAbsent(module.unit().name(), name -> new ArrayList<>()).add(module);
    }
    Map<UnitState, Map<String, List<ModulePlan>>> states = new TreeMap<>(Comparator.reverseOrder());
    units.forEach(
        (unit, modules) ->
            states
                .computeIfAbsent(UnitState.of(modules), state -> new LinkedHashMap<>())
                .put(unit, modules));
    return states;
  }

  private void section(KernelPlan kernel, UnitState state, Map<String, List<ModulePlan>> units) {
    List<ModulePlan> modules = new ArrayList<>();
    List<String> names = new ArrayList<>();
    units.forEach(
        (unit, members) -> {
          modules.addAll(members);
          String product = members.get(0).unit().product();
          names.add(Escape.text(unit) + (product == null ? "" : " (" + Escape.text(product) + ")"));
        });
    String count = Numbers.of(modules.size(), "module");
    String head = page.styled(state.style(), state.words());
    boolean isNamedSo = names.size() == modules.size() && isEachItsOwn(modules);
    page.wrapped(
        2, head + "  " + (isNamedSo ? count + ":" : count + " of"), page.shortened(names), ",");
    new PlanChanges(page, kernel.kernel()).write(modules);
  }

  private static boolean isEachItsOwn(List<ModulePlan> modules) {
    for (ModulePlan module : modules) {
      if (!module.module().equals(module.unit().name())) {
        return false;
      }
    }
    return true;
  }

  /** Their commands, but for the one that is shown as the next. */
  private void rebuilds(List<RebuildGroup> rebuilds, String root, String next) {
    for (RebuildGroup group : rebuilds) {
      page.gap();
      List<String> units = new ArrayList<>();
      group.units().forEach(unit -> units.add(Escape.text(unit)));
      page.wrapped(
          0,
          page.styled(Style.BAD, "REBUILD")
              + " for "
              + Escape.text(group.kernel())
              + ": "
              + Numbers.of(group.modules().size(), "module")
              + " of",
          page.shortened(units),
          ",");
      String backend = group.backend().isEmpty() ? "unknown" : group.backend();
      page.sentence(2, "by:", Escape.text(backend + ", " + group.reason()));
      String command = Escape.text(group.command()) + root;
      if (!command.equals(next)) {
        page.line("  " + command);
      }
    }
  }
}
