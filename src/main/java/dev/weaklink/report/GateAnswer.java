package dev.weaklink.report;

import dev.weaklink.load.Outcome;
import dev.weaklink.load.Verdict;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether one kernel can be booted with the modules there are.
 *
 * @param target the kernel
 * @param verdicts on all of the modules, in their order
 */
public record GateAnswer(TargetSummary target, List<Verdict> verdicts) {
  public GateAnswer {
    verdicts = List.copyOf(verdicts);
  }

  /** The answer in one word. */
  public enum Word {
    YES("yes"),
    NO("no"),
    UNKNOWN("unknown");

    private final String id;

    Word(String id) {
      this.id = id;
    }

    /** Stable name in output. */
    public String id() {
      return id;
    }
  }

  /** Yes if every module would load, no if one would be refused. */
  public Word word() {
    Tally tally = Tally.of(verdicts);
    if (tally.incompatible() > 0) {
      return Word.NO;
    }
    return tally.undetermined() > 0 ? Word.UNKNOWN : Word.YES;
  }

  /** Names of the modules with that outcome, in order. */
  List<String> names(Outcome outcome) {
    List<String> names = new ArrayList<>();
    for (Verdict verdict : verdicts) {
      if (verdict.outcome() == outcome) {
        names.add(verdict.module().name());
      }
    }
    return names;
  }

  /** The first verdict that stands against it, null if none does. */
  @Nullable Verdict against() {
    Outcome wanted = word() == Word.NO ? Outcome.INCOMPATIBLE : Outcome.UNDETERMINED;
    for (Verdict verdict : verdicts) {
      if (verdict.outcome() == wanted) {
        return verdict;
      }
    }
    return null;
  }
}
