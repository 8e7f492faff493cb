package dev.weaklink.report;

import dev.weaklink.audit.AuditReport;
import dev.weaklink.audit.AuditReport.Action;
import dev.weaklink.audit.AuditReport.AuditedSet;
import dev.weaklink.audit.AuditReport.KernelSafety;
import dev.weaklink.audit.AuditReport.SetVerdict;
import dev.weaklink.audit.AuditReport.Target;
import dev.weaklink.audit.SetStatus;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What kernels say, in words: for whom each is safe, why not, and what is to be done. */
final class AuditAnswers {
  private static final String INDENT = "  ";
  private static final String DEEPER = "      ";

  private final AuditReport report;
  private final StringBuilder text;
  private final Map<Integer, List<Action>> actions = new HashMap<>();

  /** By set. */
  private final @Nullable Told[] lastTold;

  /** By set and target. */
  private final @Nullable SetVerdict[][] verdicts;

  AuditAnswers(AuditReport report, StringBuilder text) {
    this.report = report;
    this.text = text;
    for (Action action : report.actions()) {
      actions.computeIfAbsent(action.target(), target -> new ArrayList<>()).add(action);
    }
    lastTold = new Told[report.sets().size()];
    verdicts = new SetVerdict[report.sets().size()][report.targets().size()];
    for (SetVerdict verdict : report.verdicts()) {
      verdicts[verdict.set()][verdict.target()] = verdict;
    }
  }

  void write() {
    for (KernelSafety kernel : report.kernels()) {
      text.append('\n');
      head(kernel);
      actions.getOrDefault(kernel.target(), List.of()).forEach(this::action);
    }
    serving();
    unchecked();
  }

  private void head(KernelSafety kernel) {
    text.append(label(kernel.target())).append(": ");
    if (kernel.safe()) {
      text.append("safe for ").append(Numbers.of(kernel.nodes(), "node")).append('\n');
      return;
    }
    int bad = kernel.unsafe().count();
    int unknown = kernel.unknown().count();
    if (bad > 0) {
      text.append("not safe for ").append(Numbers.of(bad, "node"));
    }
    if (unknown > 0) {
      text.append(bad > 0 ? ", " : "").append("not known for ");
      text.append(Numbers.of(unknown, "node"));
    }
    text.append(" of ").append(Numbers.grouped(kernel.nodes())).append('\n');
  }

  private void action(Action action) {
    SetVerdict verdict = verdicts[action.set()][action.target()];
    Told told = lastTold[action.set()];
    if (told == null || !told.says(action, verdict)) {
      told = new Told(action, verdict, words(action, verdict));
      lastTold[action.set()] = told;
    }
    text.append(told.words);
    if (action.command() != null) {
      text.append(DEEPER).append(Escape.text(action.command())).append('\n');
    }
  }

  /** What was said of a set, and is said again of most other kernels. */
  private record Told(Action action, @Nullable SetVerdict verdict, String words) {
    boolean says(Action other, @Nullable SetVerdict otherVerdict) {
      return action.fate() == other.fate()
          && action.nodes().equals(other.nodes())
          && (verdict == null || otherVerdict == null
              ? verdict == otherVerdict
              : verdict.reason().equals(otherVerdict.reason())
                  && verdict.loads() == otherVerdict.loads()
                  && verdict.fails() == otherVerdict.fails()
                  && verdict.undetermined() == otherVerdict.undetermined());
    }
  }

  private String words(Action action, @Nullable SetVerdict verdict) {
    AuditedSet set = report.sets().get(action.set());
    StringBuilder words = new StringBuilder();
    words.append(INDENT).append(action.fate().word()).append(": set ");
    words.append(AuditTable.shown(set)).append(" of ").append(Escape.text(set.kernel()));
    if (set.product() != null) {
      words.append(" (").append(Escape.text(set.product())).append(')');
    }
    words.append(" on ").append(action.nodes().folded()).append('\n');
    if (verdict != null && action.fate() != SetStatus.LINK) {
      words.append(DEEPER).append(counts(verdict)).append(": ");
      words.append(Escape.text(verdict.reason())).append('\n');
    }
    return words.toString();
  }

  private static String counts(SetVerdict verdict) {
    int all = verdict.loads() + verdict.fails() + verdict.undetermined();
    boolean refused = verdict.fails() > 0;
    return Numbers.grouped(refused ? verdict.fails() : verdict.undetermined())
        + " of "
        + Numbers.of(all, "module")
        + (refused ? " refused" : " not known");
  }

  private void serving() {
    StringBuilder lines = new StringBuilder();
    for (AuditedSet set : report.sets()) {
      Integer oldest = set.oldest();
      Integer newest = set.newest();
      if (oldest != null && newest != null) {
        lines.append(INDENT).append(AuditTable.shown(set)).append(" of ");
        lines.append(Escape.text(set.kernel())).append(": ").append(label(oldest));
        lines.append(oldest.equals(newest) ? "" : " to " + label(newest)).append('\n');
      }
    }
    if (!lines.isEmpty()) {
      text.append("\nKernels that load all of a set:\n").append(lines);
    }
  }

  private void unchecked() {
    SortedSet<String> layers = new TreeSet<>();
    for (Target target : report.targets()) {
      layers.addAll(target.unchecked());
    }
    if (!layers.isEmpty()) {
      text.append("\nNot looked at, of some modules: ").append(String.join(", ", layers));
      text.append("; --modules with their files has all looked at\n");
    }
  }

  private String label(int target) {
    return Escape.text(report.targets().get(target).label());
  }
}
