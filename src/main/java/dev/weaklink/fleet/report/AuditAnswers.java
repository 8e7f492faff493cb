package dev.weaklink.fleet.report;

import dev.weaklink.fleet.Advice;
import dev.weaklink.fleet.Advice.Choice;
import dev.weaklink.fleet.Advice.Step;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditReport.KernelSafety;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.AuditedCause;
import dev.weaklink.fleet.SetStatus;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What kernels say, in words: which to boot, for whom each is safe, and what is to be done. */
final class AuditAnswers {
  private static final String INDENT = "  ";
  private static final String DEEPER = "      ";

  /** So many kernels are shown unless all are wanted. */
  private static final int SHOWN = 6;

  /** So many things to do for one. */
  private static final int STEPS = 4;

  private final AuditReport report;
  private final AuditNames names;
  private final NodeCut cut;
  private final TableOptions options;
  private final StringBuilder text;
  private final Advice advice;
  private final List<AuditedCause.Share> shares;

  AuditAnswers(AuditReport report, TableOptions options, StringBuilder text) {
    this.report = report;
    this.names = new AuditNames(report);
    this.cut = new NodeCut(options);
    this.options = options;
    this.text = text;
    this.advice = Advice.of(report);
    this.shares = AuditedCause.shares(report);
  }

  void write() {
    Choice best = advice.best();
    if (best == null || report.nodes() == 0) {
      return;
    }
    text.append("Best kernel: ").append(names.kernel(best.target())).append(": ");
    text.append(String.join(", ", words(best))).append('\n');
    Choice all = advice.newestForAll();
    if (report.nodes() > 1 && (all == null || all.target() != best.target())) {
      text.append("Newest kernel that is safe for all nodes: ");
      text.append(all == null ? "none of these" : names.kernel(all.target())).append('\n');
    }
    kernels();
    steps(best);
    rollOut(best);
    if (options.verbose()) {
      serving();
    }
    if (options.verbose()) {
      causes();
    }
    notes();
    unchecked();
    text.append('\n');
  }

  private List<String> words(Choice choice) {
    List<String> words = new ArrayList<>();
    int asIs = choice.ready() - choice.linked();
    add(asIs, " as they are", words);
    add(choice.linked(), " after 'weaklink apply'", words);
    List<Step> rebuilds = choice.rebuilds();
    if (!rebuilds.isEmpty()) {
      String product = Escape.text(rebuilds.get(0).product());
      String what =
          rebuilds.size() == 1
              ? " after a rebuild of " + product
              : " after " + rebuilds.size() + " rebuilds";
      add(choice.rebuilt(), what, words);
    }
    add(choice.blocked(), " blocked", words);
    add(choice.unknown(), " not known", words);
    return words;
  }

  private static void add(int nodes, String what, List<String> words) {
    if (nodes > 0) {
      words.add(Numbers.of(nodes, "node") + what);
    }
  }

  private void kernels() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("KERNEL", "AS IS", "LINK", "REBUILD", "BLOCKED", "NOT KNOWN", "NODES"));
    List<Choice> choices = advice.choices();
    int shown = options.verbose() ? choices.size() : Math.min(SHOWN, choices.size());
    for (int i = 0; i < shown; i++) {
      Choice choice = choices.get(i);
      rows.add(
          List.of(
              names.kernel(choice.target()),
              Numbers.grouped(choice.ready() - choice.linked()),
              Numbers.grouped(choice.linked()),
              Numbers.grouped(choice.rebuilt()),
              Numbers.grouped(choice.blocked()),
              Numbers.grouped(choice.unknown()),
              Numbers.grouped(choice.nodes())));
    }
    text.append('\n');
    text.append(AuditTable.rows(rows));
    more(choices.size() - shown, "kernel");
  }

  private void steps(Choice best) {
    boolean all = options.verbose() || advice.steps().size() <= STEPS;
    for (Choice choice : all ? advice.choices() : List.of(best)) {
      List<Step> steps = advice.of(choice.target());
      if (!steps.isEmpty()) {
        text.append("\nFor ").append(names.kernel(choice.target())).append(":\n");
      }
      int shown = options.verbose() ? steps.size() : Math.min(STEPS, steps.size());
      steps.subList(0, shown).forEach(this::step);
      more(steps.size() - shown, "step");
    }
  }

  private void more(int left, String noun) {
    if (left > 0) {
      text.append(INDENT).append("… and ").append(Numbers.of(left, "more " + noun));
      text.append(" (-v)\n");
    }
  }

  private void step(Step step) {
    String head =
        INDENT
            + step.fate().word()
            + ": "
            + Escape.text(step.product())
            + " on "
            + Numbers.of(step.nodes().count(), "node")
            + ": ";
    text.append(head).append(cut.text(step.nodes(), head.length())).append('\n');
    if (step.fate() != SetStatus.LINK) {
      String sets =
          step.sets() == 1 ? "" : " (and other reasons in " + (step.sets() - 1) + " more sets)";
      text.append(DEEPER).append(Escape.text(step.reason())).append(share(step));
      text.append(sets).append('\n');
    }
    // That of the reason stands there already.
    for (AuditedCause cause : options.verbose() ? step.causes() : List.<AuditedCause>of()) {
      text.append(DEEPER).append("cause: ").append(Escape.text(cause.clause())).append('\n');
    }
    if (step.command() != null) {
      text.append(DEEPER).append(Escape.text(step.command()));
      text.append(step.safe() > 0 ? "    # then safe for " + Numbers.of(step.safe(), "node") : "");
      text.append('\n');
    }
  }

  private void rollOut(Choice best) {
    KernelSafety kernel = kernel(best);
    if (kernel == null || kernel.canaries().count() == kernel.ready().count()) {
      return;
    }
    String head = "Boot first, one node for each set of modules: ";
    text.append('\n').append(head).append(cut.text(kernel.canaries(), head.length()));
    text.append("\nthen the other ");
    text.append(Numbers.of(kernel.ready().count() - kernel.canaries().count(), "node"));
    text.append(" for which it is safe").append(best.rebuilds().isEmpty() ? "" : "; after each");
    text.append(best.rebuilds().isEmpty() ? "" : " rebuild one of its nodes, then its others");
    text.append('\n');
  }

  private @Nullable KernelSafety kernel(Choice choice) {
    return report.kernels().stream()
        .filter(kernel -> kernel.target() == choice.target())
        .findFirst()
        .orElse(null);
  }

  /** Of how many sets the cause that the step's reason names is the cause, too. */
  private String share(Step step) {
    for (AuditedCause.Share share : shares) {
      if (share.target() == step.target() && step.reason().contains(share.cause().clause())) {
        return "; the change " + share.words();
      }
    }
    return "";
  }

  private void causes() {
    text.append(shares.isEmpty() ? "" : "\nWhy modules are refused:\n");
    for (AuditedCause.Share share : shares) {
      text.append(INDENT).append(names.kernel(share.target())).append(": ");
      text.append(Escape.text(share.cause().clause())).append(": ").append(share.words());
      text.append('\n');
    }
  }

  private void notes() {
    for (Target target : report.targets()) {
      for (String note : target.notes()) {
        text.append("Note: ").append(names.kernel(target.id())).append(": ");
        text.append(Escape.text(note)).append('\n');
      }
    }
  }

  private void serving() {
    text.append("\nKernels that load all of a set:\n");
    for (AuditedSet set : report.sets()) {
      Integer oldest = set.oldest();
      Integer newest = set.newest();
      if (oldest != null && newest != null) {
        text.append(INDENT).append(AuditTable.shown(set)).append(" of ");
        text.append(Escape.text(set.kernel())).append(": ").append(names.kernel(oldest));
        text.append(oldest.equals(newest) ? "" : " to " + names.kernel(newest)).append('\n');
      }
    }
  }

  private void unchecked() {
    SortedSet<String> layers = new TreeSet<>();
    for (Target target : report.targets()) {
      layers.addAll(target.unchecked());
    }
    if (!layers.isEmpty()) {
      text.append("\nNot checked, of some modules: ").append(String.join(", ", layers));
      text.append("; --modules with their files checks them all\n");
    }
  }
}
