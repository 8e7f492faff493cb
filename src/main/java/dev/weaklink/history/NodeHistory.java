package dev.weaklink.history;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of one node. Texts are not escaped.
 *
 * @param first the audit it was first in
 * @param last the audit it was last in
 * @param spans what it had and what was wrong, the latest first
 */
public record NodeHistory(String name, Moment first, Moment last, List<Span> spans) {
  /** An audit and its time. */
  public record Moment(long run, Instant at) {}

  /** What a span is about. The order is that of its text. */
  public enum Kind {
    /** The modules added to a kernel. */
    MODULES,
    /** Something wrong with a module. */
    FAULT
  }

  /**
   * What was so for some time.
   *
   * @param what in words
   * @param since the first audit that found it
   * @param until the first that found it gone; null if it is still there
   */
  public record Span(Kind kind, String what, Moment since, @Nullable Moment until) {}
}
