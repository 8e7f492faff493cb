package dev.weaklink.report;

import static dev.weaklink.json.JsonOutput.list;
import static dev.weaklink.json.JsonOutput.object;

import dev.weaklink.audit.AuditReport.Missing;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.json.JsonTree;
import dev.weaklink.json.MalformedJsonException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;

/**
 * The first line of a plan's file; inventories follow it. Those of a part are sets of modules with
 * their tables, named by their places; those of the nodes have no tables.
 *
 * @param plan digest of what is to be judged
 * @param part from 1; 0 for the nodes
 * @param of how many parts there are
 * @param lines how many inventories follow
 * @param options about kernels, as they were given; none for the nodes
 * @param problems of the nodes: how many pieces of input were left aside
 * @param missing of the nodes: those that did not answer
 */
public record AuditPlanFile(
    String plan,
    int part,
    int of,
    int lines,
    List<String> options,
    long problems,
    List<Missing> missing) {
  private static final String SCHEMA = "weaklink.audit-plan/1";
  private static final int MAX_HEAD = 64 << 20;

  /** Writes the line. */
  public void write(OutputStream out) throws IOException {
    JsonOutput.writeLine(
        object(
            "schema", SCHEMA,
            "plan", plan,
            "part", part,
            "of", of,
            "lines", lines,
            "options", options,
            "problems", problems,
            "missing", list(missing, AuditJson::missing)),
        out);
  }

  /**
   * Requires that so many inventories followed.
   *
   * @throws UnusableAuditException if it were others
   */
  public void requireLines(int found) throws UnusableAuditException {
    if (found != lines) {
      throw new UnusableAuditException("is truncated");
    }
  }

  /**
   * Reads the line, and nothing behind it.
   *
   * @throws UnusableAuditException if it is none
   */
  public static AuditPlanFile read(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int next = in.read();
    while (next >= 0 && next != '\n' && line.size() < MAX_HEAD) {
      line.write(next);
      next = in.read();
    }
    try {
      JsonTree json = JsonTree.read(line.toByteArray());
      if (!SCHEMA.equals(json.require("schema"))) {
        throw new MalformedJsonException("is of another schema");
      }
      return new AuditPlanFile(
          json.require("plan"),
          json.number("part"),
          json.number("of"),
          json.number("lines"),
          json.texts("options"),
          json.longNumber("problems"),
          json.list("missing", AuditReader::missing));
    } catch (MalformedJsonException e) {
      throw new UnusableAuditException("is not a file that 'weaklink audit plan' wrote");
    }
  }
}
