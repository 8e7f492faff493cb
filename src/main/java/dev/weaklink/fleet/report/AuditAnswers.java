package dev.weaklink.fleet.report;

import dev.weaklink.fleet.Advice;
import dev.weaklink.fleet.Advice.Choice;
import dev.weaklink.fleet.Advice.Step;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.AuditedCause;
import dev.weaklink.fleet.NodeState;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;

/** What kernels say, in words: which to boot, for whom each is safe, and what is to be done. */
final class AuditAnswers {
  private static final String INDENT = "  ";
  private static final String DEEPER = "      ";

  /** Of a line, if it can be broken. */
  private static final int WIDEST = 140;

  /** Steps shown for a kernel without --verbose. */
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
    String kernel = "Best kernel: " + names.kernel(best.target()) + ":";
    String words = String.join(", ", words(best));
    boolean isLong = kernel.length() + words.length() > WIDEST;
    text.append(kernel).append(isLong ? "\n" + INDENT : " ").append(words).append('\n');
    Choice all = advice.newestForAll();
    if (report.nodes() > 1 && (all == null || all.target() != best.target())) {
      text.append("Newest kernel that refuses no module of any node: ");
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

  private static List<String> words(Choice choice) {
    List<String> words = new ArrayList<>();
    List<Step> rebuilds = choice.rebuilds();
    for (NodeState state : NodeState.values()) {
      int nodes = choice.count(state);
      if (nodes > 0) {
        String what =
            switch (state) {
              case READY -> " ready";
              case LINK -> " after 'weaklink apply'";
              case INSTALL -> " once it is installed";
              case REBUILD ->
                  rebuilds.size() == 1
                      ? " after a rebuild of " + Escape.text(rebuilds.get(0).product())
                      : " after " + rebuilds.size() + " rebuilds";
              case BLOCKED -> " blocked";
              case UNDETERMINED -> " undetermined";
            };
        words.add(Numbers.of(nodes, "node") + what);
      }
    }
    return words;
  }

  private void kernels() {
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>(List.of("KERNEL"));
    for (NodeState state : NodeState.values()) {
      head.add(state.id().toUpperCase(Locale.ROOT));
    }
    head.add("NODES");
    rows.add(head);
    for (Choice choice : advice.choices()) {
      List<String> row = new ArrayList<>(List.of(names.kernel(choice.target())));
      for (NodeState state : NodeState.values()) {
        row.add(Numbers.grouped(choice.count(state)));
      }
      row.add(Numbers.grouped(report.nodes()));
      rows.add(row);
    }
    text.append('\n');
    text.append(AuditTable.rows(rows));
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
            + step.state().id()
            + ": "
            + Escape.text(step.product())
            + " on "
            + Numbers.of(step.nodes().count(), "node")
            + ": ";
    text.append(head).append(cut.text(step.nodes(), head.length())).append('\n');
    if (step.state() != NodeState.LINK) {
      String sets =
          step.sets() <= 1 ? "" : " (and other reasons in " + (step.sets() - 1) + " more sets)";
      text.append(DEEPER).append(Escape.text(step.reason())).append(share(step));
      text.append(sets).append('\n');
    }
    // That of the reason stands there already.
    for (AuditedCause cause : options.verbose() ? step.causes() : List.<AuditedCause>of()) {
      text.append(DEEPER).append("cause: ").append(Escape.text(cause.clause())).append('\n');
    }
    if (step.command() != null) {
      text.append(DEEPER).append(Escape.text(step.command()));
      text.append(
          step.served() > 0 ? "    # then serves " + Numbers.of(step.served(), "node") : "");
      text.append('\n');
    }
  }

  private void rollOut(Choice best) {
    Nodes canaries = best.states().canaries();
    int others = best.count(NodeState.READY) - canaries.count();
    if (others == 0) {
      return;
    }
    String head = "Boot first, one node for each set of modules: ";
    text.append('\n').append(head).append(cut.text(canaries, head.length()));
    text.append("\nthen the other ").append(Numbers.of(others, "node"));
    text.append(others == 1 ? " that is ready" : " that are ready");
    text.append(best.rebuilds().isEmpty() ? "" : "; after each");
    text.append(best.rebuilds().isEmpty() ? "" : " rebuild one of its nodes, then its others");
    text.append('\n');
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
