package dev.weaklink.report;

import dev.weaklink.plan.Action;
import dev.weaklink.plan.KernelPlan;
import dev.weaklink.plan.LinkEdit;
import dev.weaklink.plan.ModulePlan;
import dev.weaklink.plan.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A plan for people: per kernel and unit what should happen with each module, and why. */
public final class PlanTable {
  /** Up to so many modules of a unit that need nothing have a line each. */
  private static final int FEW = 5;

  private final Page page;

  public PlanTable(TableOptions options) {
    page = new Page(options);
  }

  /** The whole text; to be used once. */
  public String render(Plan plan) {
    for (KernelPlan kernel : plan.kernels()) {
      page.gap();
      kernel(kernel);
    }
    page.gap();
    page.line(counts(plan));
    return page.text();
  }

  /** Per kernel and unit one line: OK, LINKED, REBUILD NEEDED or UNDETERMINED. */
  public String renderUnits(Plan plan) {
    for (KernelPlan kernel : plan.kernels()) {
      for (Map.Entry<String, List<ModulePlan>> unit : byProduct(kernel).entrySet()) {
        UnitState state = UnitState.of(unit.getValue());
        page.line(
            Escape.text(kernel.kernel())
                + ": "
                + Escape.text(unit.getKey())
                + ": "
                + page.styled(state.style(), state.words()));
      }
    }
    return page.text();
  }

  private void kernel(KernelPlan kernel) {
    page.line(page.styled(Style.HEADING, Escape.text(kernel.kernel())));
    if (kernel.modules().isEmpty()) {
      page.line("  no out-of-tree modules");
    }
    for (Map.Entry<String, List<ModulePlan>> unit : byUnit(kernel).entrySet()) {
      UnitState state = UnitState.of(unit.getValue());
      String product = unit.getValue().get(0).unit().product();
      page.line(
          "  "
              + Escape.text(unit.getKey())
              + " ("
              + (product == null ? "" : Escape.text(product) + ", ")
              + Numbers.of(unit.getValue().size(), "module")
              + "): "
              + page.styled(state.style(), state.words()));
      modules(unit.getValue());
    }
  }

  private void modules(List<ModulePlan> modules) {
    int kept = 0;
    for (ModulePlan module : modules) {
      kept += isQuiet(module) ? 1 : 0;
    }
    for (ModulePlan module : modules) {
      if (page.verbose() || kept <= FEW || !isQuiet(module)) {
        module(module);
      }
    }
    if (!page.verbose() && kept > FEW) {
      page.line("    keep     " + Numbers.of(kept, "module") + " as they are");
    }
  }

  private static boolean isQuiet(ModulePlan module) {
    return module.action() == Action.KEEP && module.advice() == null;
  }

  private void module(ModulePlan module) {
    String action = module.action().id();
    page.line(
        "    "
            + page.styled(style(module.action()), action)
            + " ".repeat(Math.max(1, 9 - action.length()))
            + Escape.text(module.module())
            + (module.edits().isEmpty() ? "  " + Escape.text(module.build()) : ""));
    for (LinkEdit edit : module.edits()) {
      String after = edit.after();
      page.line(
          "        "
              + (after == null ? "remove " : "")
              + Escape.text(edit.path())
              + (after == null ? "" : " -> " + Escape.text(after)));
    }
    if (module.action() != Action.KEEP && module.action() != Action.LINK) {
      page.sentence(8, "", module.reason());
    }
    String advice = module.advice();
    if (advice != null) {
      page.line("        " + Escape.text(advice));
    }
  }

  private static Style style(Action action) {
    return switch (action) {
      case KEEP, LINK, REPLACE -> Style.GOOD;
      case UNLINK, BLOCKED -> Style.UNSURE;
      case REBUILD -> Style.BAD;
    };
  }

  private static String counts(Plan plan) {
    List<String> parts = new ArrayList<>();
    for (Action action : Action.values()) {
      int count = plan.count(action);
      if (count > 0) {
        parts.add(count + " to " + action.id());
      }
    }
    return parts.isEmpty()
        ? "No out-of-tree modules."
        : String.join(", ", parts).replace("to blocked", "blocked");
  }

  private static Map<String, List<ModulePlan>> byProduct(KernelPlan kernel) {
    Map<String, List<ModulePlan>> products = new TreeMap<>();
    for (ModulePlan module : kernel.modules()) {
      products.computeIfAbsent(module.unit().label(), name -> new ArrayList<>()).add(module);
    }
    return products;
  }

  private static Map<String, List<ModulePlan>> byUnit(KernelPlan kernel) {
    Map<String, List<ModulePlan>> units = new TreeMap<>();
    for (ModulePlan module : kernel.modules()) {
      units.computeIfAbsent(module.unit().name(), name -> new ArrayList<>()).add(module);
    }
    return units;
  }
}
