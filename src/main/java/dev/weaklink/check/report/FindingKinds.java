package dev.weaklink.check.report;

import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.report.Page;
import dev.weaklink.report.Style;
import dev.weaklink.report.TableOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** What kinds of findings mean, for people and as one JSON document. */
public final class FindingKinds {
  private final List<ExplainedFinding> kinds;

  public FindingKinds(List<ExplainedFinding> kinds) {
    this.kinds = List.copyOf(kinds);
  }

  /** A line for each, by layer. */
  public String list(TableOptions options) {
    Page page = new Page(options);
    int width = 0;
    for (ExplainedFinding kind : kinds) {
      width = Math.max(width, kind.id().length());
    }
    for (ExplainedFinding kind : kinds) {
      String gap = " ".repeat(width + 2 - kind.id().length());
      page.sentence(0, kind.id() + gap, kind.meaning());
    }
    return page.text();
  }

  /** All there is to say about each. */
  public String describe(TableOptions options) {
    Page page = new Page(options);
    for (ExplainedFinding kind : kinds) {
      page.gap();
      page.line(page.styled(Style.HEADING, kind.id()));
      page.sentence(2, "Meaning:", kind.meaning());
      page.sentence(2, "Layer:  ", kind.layer());
      if (kind.errno() != null) {
        page.sentence(2, "Errno:  ", kind.errno());
      }
      if (!kind.source().isEmpty()) {
        page.sentence(2, "Source: ", kind.source());
      }
      page.sentence(2, "Kernels:", kind.versions());
      page.sentence(2, "To do:  ", kind.remedy());
    }
    return page.text();
  }

  /** Writes {@code weaklink.findings/1}; {@code out} is left open. */
  public void json(OutputStream out) throws IOException {
    JsonOutput.writeLine(
        object(
            "schema",
            "weaklink.findings/1",
            "findings",
            JsonOutput.list(kinds, FindingKinds::kind)),
        out);
  }

  private static Object kind(ExplainedFinding kind) {
    return object(
        "id", kind.id(),
        "layer", kind.layer(),
        "meaning", kind.meaning(),
        "errno", kind.errno(),
        "source", kind.source().isEmpty() ? null : kind.source(),
        "kernels", kind.versions(),
        "remedy", kind.remedy());
  }
}
