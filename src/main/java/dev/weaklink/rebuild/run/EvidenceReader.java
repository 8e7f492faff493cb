package dev.weaklink.rebuild.run;

import dev.weaklink.rebuild.Bundle;
import dev.weaklink.rebuild.Evidence;
import dev.weaklink.rebuild.UnusableJobException;
import dev.weaklink.rules.Rules;
import dev.weaklink.rules.yaml.RulesReader;
import dev.weaklink.rules.yaml.RulesResult;
import dev.weaklink.rules.yaml.RulesResult.Good;
import dev.weaklink.sys.Root;
import dev.weaklink.sys.RootText;
import dev.weaklink.system.DkmsReader;
import org.jspecify.annotations.Nullable;

/** Collects what a root shows about how its out-of-tree modules came to be. */
public final class EvidenceReader {
  private static final String DOCA_TOOL = "/opt/mellanox/doca/tools/doca-kernel-support";

  private EvidenceReader() {}

  /** Reads a root; what cannot be read shows nothing. */
  public static Evidence read(Root root, @Nullable Bundle bundle) {
    return read(
        root, bundle, RulesReader.read(root) instanceof Good good ? good.rules() : Rules.NONE);
  }

  /** The same with these rules. */
  static Evidence read(Root root, @Nullable Bundle bundle, Rules rules) {
    RootText text = new RootText(root);
    return new Evidence(
        OsRelease.read(root),
        InstalledOfed.read(root),
        DkmsReader.read(root),
        text.isFile(DOCA_TOOL) ? DOCA_TOOL : null,
        bundle,
        rules);
  }

  /**
   * The rules in force in a root.
   *
   * @throws UnusableJobException if any of them was not understood
   */
  static Rules rules(Root root) throws UnusableJobException {
    RulesResult result = RulesReader.read(root);
    if (result instanceof RulesResult.Bad bad) {
      throw new UnusableJobException(
          bad.problems().get(0)
              + "; fix the rules first ('weaklink rules check'); nothing is built until then");
    }
    return ((Good) result).rules();
  }
}
