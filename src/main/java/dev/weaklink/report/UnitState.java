package dev.weaklink.report;

import dev.weaklink.load.Outcome;
import dev.weaklink.plan.Action;
import dev.weaklink.plan.ModulePlan;
import dev.weaklink.sys.StableId;
import java.util.List;

/**
 * How modules stand on a kernel, from best to worst; of several the worst decides. The ids are part
 * of the machine-readable contract.
 */
enum UnitState implements StableId {
  /** Built for this kernel, and used. */
  OK("OK", Style.GOOD),
  /** A link is there, and used. */
  LINKED("LINKED", Style.GOOD),
  /** All builds are for newer kernels, and none would load here. */
  NO_BUILD("NO BUILD", Style.FAINT),
  /** A link is to be made, or to lead elsewhere. */
  CAN_BE_LINKED("CAN BE LINKED", Style.GOOD),
  /** Built for this kernel, but depmod chooses another file. */
  NOT_USED("NOT USED", Style.UNSURE),
  /** A link is there, but depmod chooses another file. */
  LINKED_NOT_USED("LINKED, NOT USED", Style.UNSURE),
  UNDETERMINED("UNDETERMINED", Style.UNSURE),
  /** DKMS builds it for each kernel, and has not for this one; no build was refused. */
  NOT_BUILT("NOT BUILT", Style.UNSURE),
  /** It would load, but others that use what it replaces would not. */
  BREAKS_OTHERS("BREAKS OTHERS", Style.BAD),
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

  /** How a unit stands now. */
  static UnitState of(List<ModulePlan> modules) {
    UnitState state = OK;
    for (ModulePlan module : modules) {
      UnitState one = of(module);
      state = one.compareTo(state) > 0 ? one : state;
    }
    return state;
  }

  static UnitState of(ModulePlan module) {
    boolean isUsed = module.unused() == null;
    if (module.breaksOthers()) {
      return BREAKS_OTHERS;
    }
    if (module.isServed() || (module.action() == Action.UNLINK && module.verdict() == null)) {
      // the latter is what a removed package left behind
      return isUsed ? OK : NOT_USED;
    }
    if (module.action() == Action.LEAVE) {
      return NO_BUILD;
    }
    if (module.action() == Action.BUILD) {
      return NOT_BUILT;
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
    if (module.action() != Action.KEEP) {
      return CAN_BE_LINKED;
    }
    return isUsed ? LINKED : LINKED_NOT_USED;
  }
}
