package dev.weaklink.cli;

import dev.weaklink.report.CheckReport;

/** Finds, reads and judges what a request names. */
public interface CheckEngine {
  /**
   * Judges every module on every target. Files that cannot be read are verdicts and problems of the
   * report, not exceptions; finding no module or no kernel at all is a problem that says where was
   * looked and what to give.
   *
   * @throws UsageException if the request itself makes no sense, such as an unknown value of a
   *     loader rule
   */
  CheckReport check(CheckRequest request, Progress progress);
}
