package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.json.JsonOutput;
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
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.findings/1");
      json.writeArrayFieldStart("findings");
      for (ExplainedFinding kind : kinds) {
        json.writeStartObject();
        json.writeStringField("id", kind.id());
        json.writeStringField("layer", kind.layer());
        json.writeStringField("meaning", kind.meaning());
        JsonOutput.optional(json, "errno", kind.errno());
        if (!kind.source().isEmpty()) {
          json.writeStringField("source", kind.source());
        }
        json.writeStringField("kernels", kind.versions());
        json.writeStringField("remedy", kind.remedy());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }
}
