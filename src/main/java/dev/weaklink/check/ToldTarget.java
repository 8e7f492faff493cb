package dev.weaklink.check;

import dev.weaklink.kernel.LoaderRule;
import dev.weaklink.kernel.LoaderRules;
import dev.weaklink.kernel.TargetKernel;

/**
 * A target for modules of which only what nodes tell is known: it does not ask for what they do not
 * tell.
 */
final class ToldTarget {
  private ToldTarget() {}

  /**
   * The target.
   *
   * @param signaturesCount whether it matters who signed them; there is no more to be known of
   *     signatures
   * @param exportsKnown whether all modules tell what they export; if not, a symbol that nobody
   *     seems to export may be theirs
   */
  static OpenTarget of(OpenTarget target, boolean signaturesCount, boolean exportsKnown) {
    TargetKernel kernel = target.kernel();
    LoaderRules rules =
        without(
            without(kernel.rules(), LoaderRule.STRUCT_SIZE, "no"), LoaderRule.NAMESPACES, "none");
    if (!signaturesCount) {
      rules = without(rules, LoaderRule.SIGNATURES, "no");
    }
    TargetKernel changed =
        new TargetKernel(
            kernel.label(),
            kernel.release(),
            kernel.machine(),
            kernel.vermagic(),
            kernel.structModuleSize(),
            kernel.exports(),
            kernel.exportsComplete() && exportsKnown,
            kernel.ownModulesKnown(),
            kernel.builtIn(),
            rules);
    return new OpenTarget(
        changed,
        target.inbox(),
        target.natives(),
        target.known(),
        target.images(),
        target.summary());
  }

  private static LoaderRules without(LoaderRules rules, LoaderRule rule, String value) {
    return rules.with(rule, new LoaderRules.Setting(value, false, "not known of the modules"));
  }
}
