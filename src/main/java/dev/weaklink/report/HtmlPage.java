package dev.weaklink.report;

import java.util.List;

/** A page that needs nothing else, to be attached to a ticket. It has no scripts. */
final class HtmlPage implements Document {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <style>
      :root { color-scheme: light dark; --line: #8888; }
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
      h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
      pre { padding: .5rem 1rem; border-left: 4px solid var(--line); overflow-x: auto; }
      del, ins { text-decoration: none; display: block; }
      del { color: light-dark(#9a1c00, #ff9d80); } ins { color: light-dark(#00549a, #80c7ff); }
      table { border-collapse: collapse; } th, td { text-align: left; padding: .2rem .8rem .2rem 0; }
      td, th { border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
      </style>
      """;

  private final StringBuilder text = new StringBuilder(HEAD);

  HtmlPage(String title) {
    element("title", title);
    text.append("</head><body>\n");
  }

  @Override
  public void heading(int level, String words) {
    element("h" + level, words);
  }

  @Override
  public void paragraph(String words) {
    element("p", words);
  }

  @Override
  public void difference(List<String> lines) {
    text.append("<pre>");
    for (String line : lines) {
      String name = line.startsWith("-") ? "del" : line.startsWith("+") ? "ins" : "span";
      text.append('<').append(name).append('>').append(plain(line));
      text.append("</").append(name).append('>');
    }
    text.append("</pre>\n");
  }

  @Override
  public void table(List<String> headings, List<List<String>> rows) {
    if (rows.isEmpty()) {
      return;
    }
    text.append("<table>\n");
    row("th", headings);
    rows.forEach(row -> row("td", row));
    text.append("</table>\n");
  }

  private void row(String cell, List<String> cells) {
    text.append("<tr>");
    for (String words : cells) {
      text.append('<').append(cell).append('>').append(plain(words));
    }
    text.append("\n");
  }

  private void element(String name, String words) {
    text.append('<').append(name).append('>').append(plain(words));
    text.append("</").append(name).append(">\n");
  }

  private static String plain(String words) {
    return words
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  @Override
  public String text() {
    return text + "</body></html>\n";
  }
}
