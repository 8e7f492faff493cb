package dev.weaklink.check;

import dev.weaklink.check.result.CheckReport;
import dev.weaklink.sys.Progress;

/** Finds, reads and judges what a request names. */
public interface CheckEngine {
  /**
   * Judges every module on every target. Files that cannot be read are verdicts and problems of the
   * report, not exceptions; finding no module or no kernel at all is a problem that says where was
   * looked and what to give.
   */
  CheckReport check(CheckRequest request, Progress progress);
}
