package dev.weaklink.report;

import dev.weaklink.load.Outcome;
import dev.weaklink.plan.Action;
import dev.weaklink.plan.ModulePlan;
import java.util.List;

/** How a unit stands on a kernel, the worst of its modules deciding. */
enum UnitState {
  OK("OK", Style.GOOD),
  LINKED("LINKED", Style.GOOD),
  UNDETERMINED("UNDETERMINED", Style.UNSURE),
  REBUILD_NEEDED("REBUILD NEEDED", Style.BAD);

  private final String words;
  private final Style style;

  UnitState(String words, Style style) {
    this.words = words;
    this.style = style;
  }

  String words() {
    return words;
  }

  Style style() {
    return style;
  }

  static UnitState of(List<ModulePlan> modules) {
    UnitState state = OK;
    for (ModulePlan module : modules) {
      UnitState one = of(module);
      state = one.compareTo(state) > 0 ? one : state;
    }
    return state;
  }

  private static UnitState of(ModulePlan module) {
    if (module.isServed() || (module.action() == Action.UNLINK && module.verdict() == null)) {
      // the latter is what a removed package left behind
      return OK;
    }
    boolean isRebuilt =
        module.action() == Action.REBUILD
            || (module.action() == Action.UNLINK && module.outcome() == Outcome.COMPATIBLE);
    if (module.outcome() == Outcome.INCOMPATIBLE || isRebuilt) {
      return REBUILD_NEEDED;
    }
    if (module.outcome() == Outcome.UNDETERMINED || module.action() == Action.BLOCKED) {
      return UNDETERMINED;
    }
    return LINKED;
  }
}
