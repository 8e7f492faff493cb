package dev.weaklink.fleet.report;

import dev.weaklink.fleet.Advice;
import dev.weaklink.fleet.Advice.AdvisedKernel;
import dev.weaklink.fleet.Advice.AdvisedStep;
import dev.weaklink.fleet.AuditReport;
import dev.weaklink.fleet.AuditReport.AuditedSet;
import dev.weaklink.fleet.AuditReport.NodeDefect;
import dev.weaklink.fleet.AuditReport.NodeState;
import dev.weaklink.fleet.AuditReport.Target;
import dev.weaklink.fleet.AuditedCause;
import dev.weaklink.fleet.Defect;
import dev.weaklink.fleet.Nodes;
import dev.weaklink.loader.Layer;
import dev.weaklink.report.TableOptions;
import dev.weaklink.sys.DefectKind;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.Numbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** Writes an audit as text for people. Long lists are shortened unless the output is verbose. */
public final class AuditTable {
    private static final String GAP = "  ";
    private static final int SHOWN_DIGITS = 12;

    private static final int SHOWN = 6;

    private static final String TITLES = "PRODUCT";
    private static final int TITLE = 32;
    private static final int SHORT_TITLE = 12;

    private final AuditReport report;
    private final TableOptions options;
    private final ShortenedNodes cut;
    private final StringBuilder text = new StringBuilder();

    private AuditTable(AuditReport report, TableOptions options) {
        this.report = report;
        this.options = options;
        this.cut = new ShortenedNodes(options);
    }

    public static String lines(AuditReport report, TableOptions options) {
        return new AuditTable(report, options).lines();
    }

    private String lines() {
        new AuditAnswers(report, options, text).write();
        addMissing();
        List<NodeDefect> running = report.running();
        for (NodeDefect defect : running.subList(0, shown(running.size()))) {
            String head = "Wrong now in " + Escape.text(defect.kernel()) + " on ";
            text.append(head)
                    .append(cut.text(defect.nodes(), head.length() + 1))
                    .append(":\n");
            addDefect(defect.defect(), text);
        }
        more(running.size(), "");
        text.append(running.isEmpty() ? "" : "\n");
        addLibraries();
        if (!report.groups().isEmpty()) {
            addGroups();
        }
        addChanges();
        if (!report.incomplete().isEmpty()) {
            text.append("\nNot everything could be read: ");
            text.append(cut.text(report.incomplete(), 29)).append('\n');
        }
        text.append(text.isEmpty() || text.lastIndexOf("\n\n") == text.length() - 2 ? "" : "\n");
        text.append(Numbers.of(report.nodes(), "node")).append(" in ");
        text.append(Numbers.of(report.groups().size(), "group"));
        if (!report.missing().isEmpty()) {
            text.append("; no answer from ").append(Numbers.of(report.missingNodes(), "node"));
        }
        if (report.problems() > 0) {
            int pieces = (int) Math.min(report.problems(), Integer.MAX_VALUE);
            text.append("; skipped: ").append(Numbers.of(pieces, "piece")).append(" of input");
        }
        return text.append('\n').toString();
    }

    private int shown(int size) {
        return options.verbose() ? size : shortened(size, SHOWN);
    }

    /**
     * Returns the number of entries to show. If only one entry would be left out, it is shown too, because a line that
     * counts it would not be shorter.
     */
    private static int shortened(int size, int most) {
        return size <= most + 1 ? size : most;
    }

    private void more(int size, String what) {
        if (size > shown(size)) {
            text.append(GAP).append("… and ").append(Numbers.grouped(size - shown(size)));
            text.append(" more").append(what).append(" (-v)\n");
        }
    }

    /**
     * Prints the state of RDMA libraries if they were checked on any node; only nodes that run weaklink itself check
     * them.
     */
    private void addLibraries() {
        Nodes checked = report.libraries().checked();
        if (checked.isEmpty()) {
            return;
        }
        String of = Numbers.grouped(checked.count()) + " of " + Numbers.of(report.nodes(), "node");
        String head = "RDMA libraries checked on " + of + ": ";
        boolean all = checked.count() == report.nodes();
        text.append(all ? "RDMA libraries checked on all nodes" : head);
        text.append(all ? "" : cut.text(checked, head.length())).append('\n');
        List<NodeDefect> problems = report.libraries().problems();
        for (NodeDefect problem : problems.subList(0, shown(problems.size()))) {
            DefectKind kind = problem.defect().kind();
            String word = kind.isFailure() ? "FAILS  " : "WARNING";
            String begin = GAP + word + GAP + kind.id() + " on ";
            text.append(begin)
                    .append(cut.text(problem.nodes(), begin.length() + 1))
                    .append(":\n");
            text.append(GAP)
                    .append(GAP)
                    .append(AuditNames.words(problem.defect()))
                    .append('\n');
            text.append(GAP).append(GAP).append("To do: ").append(kind.remedy()).append('\n');
        }
        more(problems.size(), "");
        text.append(problems.isEmpty() ? GAP + "nothing wrong found\n\n" : "\n");
    }

    private void addMissing() {
        for (AuditReport.SilentNodes missing :
                report.missing().subList(0, shown(report.missing().size()))) {
            String head = "No answer (" + Escape.text(missing.reason()) + "): ";
            text.append(head).append(cut.text(missing.nodes(), head.length())).append('\n');
        }
        more(report.missing().size(), " reasons");
        text.append(report.missing().isEmpty() ? "" : "\n");
    }

    private void addChanges() {
        AuditReport.Changes changes = report.changes();
        if (changes == null) {
            return;
        }
        text.append("\nSince the earlier audit: ");
        text.append(Numbers.of(changes.appeared().size(), "problem")).append(" new, ");
        text.append(Numbers.grouped(changes.fixed().size())).append(" fixed, ");
        text.append(Numbers.grouped(changes.unchanged())).append(" unchanged\n");
        addChanges("new", changes.appeared(), text);
        addChanges("fixed", changes.fixed(), text);
        addNodes("earlier problem could not be checked again", changes.unknown());
        addNodes("in the earlier audit only", changes.vanished());
    }

    private void addNodes(String words, Nodes nodes) {
        if (!nodes.isEmpty()) {
            String head = GAP + words + ": " + Numbers.of(nodes.count(), "node") + ": ";
            text.append(head).append(cut.text(nodes, head.length())).append('\n');
        }
    }

    private static void addChanges(String word, List<AuditReport.DefectChange> changes, StringBuilder text) {
        for (AuditReport.DefectChange change : changes) {
            text.append(GAP).append(word).append(": ").append(Escape.text(change.what()));
            text.append(" on ").append(change.nodes().folded()).append('\n');
        }
    }

    private void addGroups() {
        List<AuditReport.AuditedGroup> groups = new ArrayList<>(report.groups());
        if (groups.size() > shown(groups.size())) {
            groups.sort(Comparator.comparing(
                            (AuditReport.AuditedGroup group) -> group.defects().isEmpty())
                    .thenComparing(group -> -group.nodes().count()));
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("KERNEL", "MODULES", "SET", TITLES, "NODES", "RUNNING", "NODE SET"));
        groups = groups.subList(0, shown(groups.size()));
        int longest = 0;
        for (AuditReport.AuditedGroup group : groups) {
            rows.add(cells(report.sets().get(group.set()), group));
            longest = Math.max(longest, group.nodes().folded().length());
        }
        shortenTitles(rows, longest);
        int[] widths = widths(rows);
        int before = before(widths);
        addRow(rows.get(0), widths, text);
        for (int i = 0; i < groups.size(); i++) {
            AuditReport.AuditedGroup group = groups.get(i);
            List<String> row = new ArrayList<>(rows.get(i + 1));
            row.set(row.size() - 1, cut.text(group.nodes(), before));
            addRow(row, widths, text);
            List<Defect> defects = group.defects();
            defects.subList(0, shown(defects.size())).forEach(defect -> addDefect(defect, text));
            more(defects.size(), "");
        }
        more(report.groups().size(), " groups");
    }

    private void shortenTitles(List<List<String>> rows, int longest) {
        int column = rows.get(0).indexOf(TITLES);
        int[] widths = widths(rows);
        int lacking = options.verbose() ? 0 : before(widths) + longest - options.columns();
        int most = Math.max(SHORT_TITLE, widths[column] - lacking);
        for (List<String> row : rows) {
            String title = row.get(column);
            if (title.length() > most) {
                row.set(column, title.substring(0, most - 1) + "…");
            }
        }
    }

    private static int before(int[] widths) {
        int before = 0;
        for (int i = 0; i < widths.length - 1; i++) {
            before += widths[i] + GAP.length();
        }
        return before;
    }

    private static List<String> cells(AuditReport.AuditedSet set, AuditReport.AuditedGroup group) {
        int modules = set.modules().size();
        String title = Escape.text(set.title());
        return Arrays.asList(
                Escape.text(group.kernel()),
                Numbers.grouped(modules),
                modules == 0 ? "-" : shown(set),
                modules == 0 ? "-" : title.length() <= TITLE ? title : title.substring(0, TITLE) + "…",
                Numbers.grouped(group.nodes().count()),
                Numbers.grouped(group.running()),
                "");
    }

    static String shown(AuditReport.AuditedSet set) {
        return set.digest().substring(0, SHOWN_DIGITS) + AuditNames.policy(set);
    }

    static String rows(List<List<String>> rows) {
        StringBuilder text = new StringBuilder();
        int[] widths = widths(rows);
        rows.forEach(row -> addRow(row, widths, text));
        return text.toString();
    }

    static List<String> words(AdvisedKernel choice) {
        List<String> words = new ArrayList<>();
        List<AdvisedStep> rebuilds = choice.rebuilds();
        for (NodeState state : NodeState.values()) {
            int nodes = choice.count(state);
            if (nodes > 0) {
                String what = switch (state) {
                    case READY -> " ready";
                    case LINK -> " after 'weaklink apply'";
                    case INSTALL -> " once the kernel is installed";
                    case REBUILD ->
                        rebuilds.size() == 1
                                ? " after a rebuild of "
                                        + Escape.text(rebuilds.get(0).product())
                                : " after " + rebuilds.size() + " rebuilds";
                    case BLOCKED -> " blocked";
                    case UNDETERMINED -> " undetermined";
                };
                words.add(Numbers.of(nodes, "node") + what);
            }
        }
        return words;
    }

    private static int[] widths(List<List<String>> rows) {
        int[] widths = new int[rows.get(0).size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return widths;
    }

    private static void addRow(List<String> row, int[] widths, StringBuilder text) {
        int last = widths.length - 1;
        for (int i = 0; i < last; i++) {
            text.append(row.get(i))
                    .append(" ".repeat(widths[i] - row.get(i).length()))
                    .append(GAP);
        }
        text.append(row.get(last)).append('\n');
    }

    private static void addDefect(Defect defect, StringBuilder text) {
        text.append(GAP).append(AuditNames.words(defect)).append('\n');
    }

    private static final class AuditAnswers {
        private static final String INDENT = "  ";
        private static final String DEEPER = "      ";

        private static final int WIDEST = 140;

        private static final int STEPS = 4;

        private final AuditReport report;
        private final AuditNames names;
        private final ShortenedNodes cut;
        private final TableOptions options;
        private final StringBuilder text;
        private final Advice advice;
        private final List<AuditedCause.Share> shares;

        AuditAnswers(AuditReport report, TableOptions options, StringBuilder text) {
            this.report = report;
            this.names = new AuditNames(report);
            this.cut = new ShortenedNodes(options);
            this.options = options;
            this.text = text;
            this.advice = Advice.of(report);
            this.shares = AuditedCause.shares(report);
        }

        void write() {
            AdvisedKernel best = advice.best();
            if (best == null || report.nodes() == 0) {
                return;
            }
            String kernel = "Best kernel: " + names.kernel(best.target()) + ":";
            String words = String.join(", ", words(best));
            boolean isLong = kernel.length() + words.length() > WIDEST;
            text.append(kernel)
                    .append(isLong ? "\n" + INDENT : " ")
                    .append(words)
                    .append('\n');
            AdvisedKernel all = advice.newestForAll();
            if (report.nodes() > 1 && (all == null || all.target() != best.target())) {
                text.append("Newest kernel that loads all modules of all nodes: ");
                text.append(all == null ? "none of these kernels" : names.kernel(all.target()))
                        .append('\n');
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

        private void kernels() {
            List<List<String>> rows = new ArrayList<>();
            List<String> head = new ArrayList<>(List.of("KERNEL"));
            for (NodeState state : NodeState.values()) {
                head.add(state.id().toUpperCase(Locale.ROOT));
            }
            head.add("NODES");
            rows.add(head);
            for (AdvisedKernel choice : advice.choices()) {
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

        private void steps(AdvisedKernel best) {
            boolean all = options.verbose()
                    || shortened(advice.steps().size(), STEPS) == advice.steps().size();
            for (AdvisedKernel choice : all ? advice.choices() : List.of(best)) {
                List<AdvisedStep> steps = advice.of(choice.target());
                if (!steps.isEmpty()) {
                    text.append("\nFor ").append(names.kernel(choice.target())).append(":\n");
                }
                int shown = options.verbose() ? steps.size() : shortened(steps.size(), STEPS);
                steps.subList(0, shown).forEach(this::step);
                more(steps.subList(shown, steps.size()));
            }
        }

        private void more(List<AdvisedStep> left) {
            if (left.isEmpty()) {
                return;
            }
            Map<NodeState, Integer> nodes = new EnumMap<>(NodeState.class);
            left.forEach(step -> nodes.merge(step.state(), step.nodes().count(), Integer::sum));
            List<String> words = new ArrayList<>();
            nodes.forEach((state, count) -> words.add(state.id() + " on " + Numbers.of(count, "node")));
            text.append(INDENT)
                    .append("… and ")
                    .append(Numbers.of(left.size(), "more step"))
                    .append(": ");
            text.append(String.join(", ", words)).append(" (-v)\n");
        }

        private void step(AdvisedStep step) {
            String head = INDENT
                    + step.state().id()
                    + ": "
                    + Escape.text(step.product())
                    + " on "
                    + Numbers.of(step.nodes().count(), "node")
                    + ": ";
            text.append(head).append(cut.text(step.nodes(), head.length())).append('\n');
            if (step.state() != NodeState.LINK) {
                String sets = step.sets() <= 1
                        ? ""
                        : " (and other reasons in " + Numbers.of(step.sets() - 1, "more set") + ")";
                text.append(DEEPER).append(Escape.text(step.reason())).append(share(step));
                text.append(sets).append('\n');
            }
            // Without --verbose, the first cause is enough, and the reason contains it.
            for (AuditedCause cause : options.verbose() ? step.causes() : List.<AuditedCause>of()) {
                text.append(DEEPER)
                        .append("cause: ")
                        .append(Escape.text(cause.clause()))
                        .append('\n');
            }
            if (step.tried() != null) {
                text.append(DEEPER).append(Escape.text(step.tried())).append('\n');
            }
            if (step.builder() != null) {
                text.append(DEEPER).append("these nodes cannot build the modules: build them on ");
                text.append(step.builder()).append(", then install them on these nodes\n");
            }
            if (step.command() != null) {
                text.append(DEEPER).append(Escape.text(step.command()));
                text.append(step.served() > 0 ? "    # then ready: " + Numbers.of(step.served(), "node") : "");
                text.append('\n');
            }
        }

        private void rollOut(AdvisedKernel best) {
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
            text.append(best.rebuilds().isEmpty() ? "" : " rebuild, boot one of the rebuilt nodes, then the others");
            text.append('\n');
        }

        private String share(AdvisedStep step) {
            for (AuditedCause.Share share : shares) {
                if (share.target() == step.target()
                        && step.reason().contains(share.cause().clause())) {
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
            text.append("\nKernels that load all modules of a set:\n");
            if (report.sets().stream().allMatch(set -> set.newest() == null)) {
                text.append(INDENT).append("none\n");
            }
            for (AuditedSet set : report.sets()) {
                Integer oldest = set.oldest();
                Integer newest = set.newest();
                if (oldest != null && newest != null) {
                    text.append(INDENT).append(AuditTable.shown(set)).append(" of ");
                    text.append(Escape.text(set.kernel())).append(": ").append(names.kernel(oldest));
                    text.append(oldest.equals(newest) ? "" : " to " + names.kernel(newest))
                            .append('\n');
                }
            }
        }

        private void unchecked() {
            SortedSet<String> layers = new TreeSet<>();
            for (Target target : report.targets()) {
                layers.addAll(target.unchecked());
            }
            if (!layers.isEmpty()) {
                text.append("\nNot checked for some modules: ").append(String.join(", ", layers));
                // Only the files of the kernel's own modules show which of these modules import symbols of a replaced
                // module.
                boolean importers = layers.contains(Layer.IMPORTERS.id());
                text.append("; most of the checks need the modules' files: pass the files with --modules");
                text.append(
                        importers
                                ? "; the check 'importers' also needs a --kernel that includes the in-tree modules\n"
                                : "\n");
            }
        }
    }
}
