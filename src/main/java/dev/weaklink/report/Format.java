package dev.weaklink.report;

import java.util.ArrayList;
import java.util.List;

/** The forms in which results can be had; each command has some of them. */
public enum Format {
  TABLE("table", "for people"),
  JSON("json", "one object"),
  NDJSON("ndjson", "one object a line"),
  HTML("html", "a page to search and print that needs no network"),
  CSV("csv", "for spreadsheets"),
  MARKDOWN("markdown", "for tickets and merge requests"),
  SARIF("sarif", "for code scanning"),
  JUNIT("junit", "for pipelines"),
  PREFLIGHT("preflight", "a PreflightValidation of OpenShift's KMM for each kernel, as JSON"),
  PROMETHEUS("prometheus", "for the node exporter's textfile collector"),
  NAGIOS(
      "nagios",
      "one line for monitoring, with the exit status of its plugins: 0 (OK), 1 (WARNING) if a"
          + " kernel is not safe for all, 2 (CRITICAL) if something is wrong today, 3 (UNKNOWN) if"
          + " something is not known or no node was found; wrong usage is 2");

  private final String word;
  private final String purpose;

  Format(String word, String purpose) {
    this.word = word;
    this.purpose = purpose;
  }

  /** What to call it on a command line. */
  public String word() {
    return word;
  }

  /** The words of some, in their order. */
  public static List<String> words(List<Format> formats) {
    List<String> words = new ArrayList<>();
    for (Format format : formats) {
      words.add(format.word);
    }
    return words;
  }

  /** What some are for. The first is the one nobody has to ask for. */
  public static String purposes(List<Format> formats) {
    StringBuilder text = new StringBuilder();
    for (Format format : formats) {
      text.append(text.length() == 0 ? "" : "; ").append(format.word).append(": ");
      text.append(format.purpose);
    }
    return text.append(". Default: ").append(formats.get(0).word).append('.').toString();
  }

  /**
   * The form of this name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Format of(String word) {
    for (Format format : values()) {
      if (format.word.equals(word)) {
        return format;
      }
    }
    throw new IllegalArgumentException("no such format: " + word);
  }
}
