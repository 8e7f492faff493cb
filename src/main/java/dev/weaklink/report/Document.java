package dev.weaklink.report;

import java.util.List;

/** A text with headings and tables, built part by part. What is given must be escaped already. */
interface Document {
  /** A heading; the topmost has level 1. */
  void heading(int level, String words);

  void paragraph(String words);

  /** Lines that begin with a sign each: - for what went, + for what came, . for others. */
  void difference(List<String> lines);

  /** A table; left out if it has no rows. */
  void table(List<String> headings, List<List<String>> rows);

  /** All of it. */
  String text();
}
