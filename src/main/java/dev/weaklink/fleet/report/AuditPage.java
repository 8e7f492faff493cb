package dev.weaklink.fleet.report;

import dev.weaklink.fleet.AuditReport;
import dev.weaklink.sys.Sha256;
import dev.weaklink.sys.ShippedText;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * An audit as one HTML page that needs nothing else: the JSON document, packed, with style and
 * scripts around it. Its content security policy names both by their digests, so that nothing runs
 * that was not written here, and nothing is fetched.
 */
public final class AuditPage {
  private static final String PLACE = "/audit-page/";
  private static final char MARK = '@';

  /** In this order; each uses what those before it define. */
  private static final List<String> SCRIPTS =
      List.of("dom", "nodes", "model", "pager", "matrix", "detail", "sections", "main");

  private AuditPage() {}

  /** Writes the page; {@code out} is left open. */
  public static void write(AuditReport report, OutputStream out) throws IOException {
    String style = ShippedText.of(PLACE + "page.css");
    String script = script();
    String[] parts = ShippedText.of(PLACE + "page.html").split(String.valueOf(MARK), -1);
    for (int i = 0; i < parts.length; i++) {
      if (i % 2 == 0) {
        write(parts[i], out);
        continue;
      }
      switch (parts[i]) {
        case "policy" -> write(policy(style, script), out);
        case "style" -> write(style, out);
        case "script" -> write(script, out);
        case "data" -> data(report, out);
        default -> throw new IllegalStateException("page.html: no such part: " + parts[i]);
      }
    }
  }

  /** The document, packed: of ten thousand sets it has forty megabytes otherwise. */
  private static void data(AuditReport report, OutputStream out) throws IOException {
    OutputStream text = Base64.getEncoder().wrap(new OpenStream(out));
    try (OutputStream packed = new GZIPOutputStream(text, 1 << 16)) {
      AuditJson.writeDocument(report, packed);
    }
  }

  private static String policy(String style, String script) {
    return "default-src 'none'; style-src "
        + digest(style)
        + "; script-src "
        + digest(script)
        + "; base-uri 'none'; form-action 'none'";
  }

  /** As content security policies name an inline element: the digest of its exact content. */
  private static String digest(String content) {
    byte[] digest = Sha256.start().digest(content.getBytes(StandardCharsets.UTF_8));
    return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
  }

  private static String script() throws IOException {
    StringBuilder script = new StringBuilder("'use strict';\n(async () => {\n");
    for (String name : SCRIPTS) {
      script.append(ShippedText.of(PLACE + name + ".js"));
    }
    return script.append("})();\n").toString();
  }

  private static void write(String text, OutputStream out) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Ending what is written through it does not close what it is written to. */
  private static final class OpenStream extends FilterOutputStream {
    OpenStream(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      flush();
    }
  }
}
