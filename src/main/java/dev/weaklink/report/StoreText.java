package dev.weaklink.report;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.weaklink.json.JsonOutput;
import dev.weaklink.kernel.ExportTable;
import dev.weaklink.store.StoreListing;
import dev.weaklink.sys.Numbers;
import java.io.IOException;
import java.io.OutputStream;

/** What is in a store of kernels: for people, or as one JSON object ({@code weaklink.store/1}). */
public final class StoreText {
  private StoreText() {}

  /** A line for every kernel: its name, what it exports, how much room it takes. */
  public static String lines(StoreListing listing) {
    int width = 0;
    for (StoreListing.Kept kept : listing.kernels()) {
      width = Math.max(width, kept.entry().name().length());
    }
    StringBuilder text = new StringBuilder();
    for (StoreListing.Kept kept : listing.kernels()) {
      String name = kept.entry().name();
      ExportTable exports = kept.kernel().exports();
      text.append(name)
          .append(" ".repeat(width - name.length()))
          .append("  ")
          .append(Numbers.of(exports.size(), "export"))
          .append(", ")
          .append(Numbers.grouped((int) ((kept.size() + 1023) >> 10)))
          .append(" KiB\n");
    }
    return text.toString();
  }

  /** Writes the object and ends its line. */
  public static void write(StoreListing listing, OutputStream out) throws IOException {
    try (JsonGenerator json = JsonOutput.open(out)) {
      json.writeStartObject();
      json.writeStringField("schema", "weaklink.store/1");
      json.writeArrayFieldStart("kernels");
      for (StoreListing.Kept kept : listing.kernels()) {
        json.writeStartObject();
        json.writeStringField("release", kept.entry().release());
        json.writeStringField("digest", "sha256:" + kept.entry().digest());
        json.writeNumberField("exports", kept.kernel().exports().size());
        json.writeNumberField("bytes", kept.size());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeArrayFieldStart("corrupt");
      for (StoreListing.Corrupt corrupt : listing.corrupt()) {
        json.writeStartObject();
        json.writeStringField("file", String.valueOf(corrupt.entry().file().getFileName()));
        json.writeStringField("reason", corrupt.reason());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
      json.writeRaw('\n');
    }
  }
}
