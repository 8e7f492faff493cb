package dev.weaklink.links.transaction;

import java.io.IOException;
import java.util.List;

/** A step that failed for a reason of more than one line. */
final class StepFailure extends IOException {
  private final transient List<String> details;

  StepFailure(String message, List<String> details) {
    super(message);
    this.details = List.copyOf(details);
  }

  /** The lines of a failure, if there are any. */
  static List<String> detailsOf(IOException e) {
    return e instanceof StepFailure failure ? failure.details : List.of();
  }
}
