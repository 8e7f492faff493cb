package dev.weaklink.links.report;

import dev.weaklink.links.plan.AuditedLink;
import dev.weaklink.links.plan.LinkDefect;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.List;

/** Links for people. */
public final class LinkTable {
  private final Page page;

  public LinkTable(TableOptions options) {
    page = new Page(options);
  }

  /** Every link and where it leads; to be used once. */
  public String list(List<AuditedLink> links) {
    for (AuditedLink link : links) {
      page.line(line(link) + (link.defects().isEmpty() ? "" : "  [" + ids(link) + "]"));
    }
    return page.text();
  }

  /** Those that something is wrong with, and what; to be used once. */
  public String audit(List<AuditedLink> links) {
    int defective = 0;
    for (AuditedLink link : links) {
      if (!link.defects().isEmpty()) {
        defective += link.isDefective() ? 1 : 0;
        audited(link);
      }
    }
    page.gap();
    page.line(
        Numbers.of(links.size(), "link")
            + ", "
            + (defective == 0 ? "none defective" : defective + " defective"));
    return page.text();
  }

  /** A line that says that a link is removed. */
  public static String removal(AuditedLink link) {
    String reason = link.reason().isEmpty() ? "" : ": " + Escape.text(link.reason());
    return "remove " + line(link) + "  [" + ids(link) + "]" + reason + "\n";
  }

  private void audited(AuditedLink link) {
    page.line(line(link));
    for (LinkDefect defect : link.defects()) {
      Style style = defect.isDoubt() ? Style.UNSURE : Style.BAD;
      page.line("    " + page.styled(style, defect.id()) + ": " + defect.sentence());
    }
    if (!link.reason().isEmpty()) {
      page.sentence(4, "", Escape.text(link.reason()));
    }
  }

  private static String line(AuditedLink link) {
    return Escape.text(link.path()) + " -> " + Escape.text(link.target());
  }

  private static String ids(AuditedLink link) {
    StringBuilder ids = new StringBuilder();
    for (LinkDefect defect : link.defects()) {
      ids.append(ids.length() == 0 ? "" : ", ").append(defect.id());
    }
    return ids.toString();
  }
}
