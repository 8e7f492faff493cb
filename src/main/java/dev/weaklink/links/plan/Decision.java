package dev.weaklink.links.plan;

import dev.weaklink.loader.Outcome;
import dev.weaklink.loader.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Whether a build is to be linked, and why.
 *
 * @param chosen whether it is
 * @param outcome what the loader would say to it
 * @param verdict the loader's verdict in full, null if the file could not be read
 * @param reason one sentence
 * @param blocker what keeps it from being linked whatever the loader says; null if nothing does
 * @param note what a rule has to say about linking it; null if nothing
 */
public record Decision(
    boolean chosen,
    Outcome outcome,
    @Nullable Verdict verdict,
    String reason,
    @Nullable LinkBlocker blocker,
    @Nullable String note) {
  /** One that only the loader has a say in. */
  public static Decision of(
      boolean chosen, Outcome outcome, @Nullable Verdict verdict, String reason) {
    return new Decision(chosen, outcome, verdict, reason, null, null);
  }

  /** The same, kept from being linked. */
  public Decision blockedBy(LinkBlocker why, String words) {
    return new Decision(false, outcome, verdict, words, why, note);
  }

  /** The same with something added to be said. */
  public Decision noting(@Nullable String words) {
    return new Decision(chosen, outcome, verdict, reason, blocker, words);
  }
}
