package dev.weaklink.links.report;

import static dev.weaklink.format.json.JsonOutput.list;
import static dev.weaklink.format.json.JsonOutput.object;

import dev.weaklink.check.report.CheckJson;
import dev.weaklink.format.json.JsonOutput;
import dev.weaklink.links.plan.AuditedLink;
import dev.weaklink.links.plan.LinkDefect;
import dev.weaklink.sys.InputProblem;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Links as JSON; src/main/resources/schema/links.json says what it looks like. */
public final class LinkJson {
  private LinkJson() {}

  /** Writes one document and a line break. */
  public static void write(List<AuditedLink> links, List<InputProblem> problems, OutputStream out)
      throws IOException {
    JsonOutput.writeLine(
        object(
            "schema", "weaklink.links/1",
            "links", list(links, LinkJson::link),
            "problems", list(problems, CheckJson::problem)),
        out);
  }

  private static Object link(AuditedLink link) {
    return object(
        "kernel", link.kernel(),
        "path", link.path(),
        "target", link.target(),
        "module", link.module(),
        "defects", list(link.defects(), LinkDefect::id),
        "mayBeRemoved", link.mayBeRemoved(),
        "reason", link.reason().isEmpty() ? null : link.reason());
  }
}
