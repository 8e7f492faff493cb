package dev.weaklink.report;

import dev.weaklink.load.Verdict;
import dev.weaklink.module.Origin;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.LinkedHashSet;
import java.util.Set;

/** Which packages the modules came in: a line for each above everything else. */
final class PackageLines {
  private static final int MOST = 12;

  private PackageLines() {}

  static void write(Page page, Iterable<Verdict> verdicts) {
    Set<String> lines = new LinkedHashSet<>();
    for (Verdict verdict : verdicts) {
      Origin.Owner owner = verdict.module().origin().owner();
      if (owner != null) {
        lines.add(line(owner));
      }
    }
    int shown = page.verbose() || lines.size() <= MOST + 1 ? lines.size() : MOST;
    for (String line : lines) {
      if (shown-- > 0) {
        page.line("modules of " + line);
      }
    }
    if (shown < 0) {
      page.line("and of " + Numbers.of(-shown, "other package") + ": see --verbose");
    }
  }

  private static String line(Origin.Owner owner) {
    String name = Escape.text(owner.name() + " " + owner.version()) + " (" + owner.kind();
    String product = owner.product();
    return product == null || product.equals(owner.name())
        ? name + ")"
        : name + ", product " + Escape.text(product) + ")";
  }
}
