package dev.weaklink.check.result;

import dev.weaklink.kernel.KernelReleaseOrder;
import dev.weaklink.loader.Outcome;
import dev.weaklink.rules.KernelRequirements;
import dev.weaklink.sys.Escape;
import dev.weaklink.sys.InputProblem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which builds serve which kernels.
 *
 * @param kernels those of a series together, from old to new
 * @param rows the builds as given
 * @param required which kernels have to be served; null if nobody says
 * @param changes what is otherwise than in an earlier run; empty without one
 * @param problems what could not be used
 */
public record MatrixReport(
        List<Kernel> kernels,
        List<Row> rows,
        @Nullable Required required,
        List<Change> changes,
        List<InputProblem> problems) {
    public MatrixReport {
        kernels = List.copyOf(kernels);
        rows = List.copyOf(rows);
        changes = List.copyOf(changes);
        problems = List.copyOf(problems);
    }

    public MatrixReport(List<Kernel> kernels, List<Row> rows, List<InputProblem> problems) {
        this(kernels, rows, null, List.of(), problems);
    }

    /**
     * The kernels that every product has to serve.
     *
     * @param by the requirements
     * @param kernels the number of kernels
     * @param lost the kernels that a product does not serve
     */
    public record Required(KernelRequirements by, int kernels, List<Lost> lost) {
        public Required {
            lost = List.copyOf(lost);
        }
    }

    /**
     * A kernel that a product has to serve and does not.
     *
     * @param product the product's name
     * @param outcome the outcome of the build that comes nearest to it
     * @param reason what stands against that build, escaped
     */
    public record Lost(String kernel, String product, Outcome outcome, String reason) {}

    /** Returns the builds by product. */
    public List<BuildProduct> products() {
        return BuildProduct.of(rows, required == null ? KernelRequirements.NONE : required.by());
    }

    /**
     * What is otherwise than it was.
     *
     * @param build its label
     * @param before null for a kernel that was not there
     * @param servedBefore whether the build serves the kernel before this one in its series
     * @param reason what stands against the build, escaped; empty if nothing does
     */
    public record Change(
            String kernel, String build, @Nullable Outcome before, boolean servedBefore, Outcome now, String reason) {}

    /** Returns the same report with the kernels that a product has to serve and does not. */
    public MatrixReport requiring(KernelRequirements requirements) {
        List<InputProblem> all = new ArrayList<>(problems);
        for (String pattern :
                requirements.unmatched(kernels.stream().map(Kernel::release).toList())) {
            all.add(new InputProblem(pattern, "has to be served, and is the name of no kernel checked"));
        }
        int count = 0;
        List<Lost> lost = new ArrayList<>();
        for (int kernel = 0; kernel < kernels.size(); kernel++) {
            if (requirements.require(kernels.get(kernel).release())) {
                count++;
                for (BuildProduct product : BuildProduct.of(rows, requirements)) {
                    Lost one = lost(product, kernel);
                    if (one != null) {
                        lost.add(one);
                    }
                }
            }
        }
        return new MatrixReport(kernels, rows, new Required(requirements, count, lost), changes, all);
    }

    /** Returns why a product does not serve a kernel, or null if it does. */
    private @Nullable Lost lost(BuildProduct product, int kernel) {
        List<Outcome> order = List.of(Outcome.COMPATIBLE, Outcome.UNDETERMINED, Outcome.INCOMPATIBLE);
        Row best = product.builds().stream()
                .min(Comparator.comparing(row -> order.indexOf(row.at(kernel).outcome())))
                .orElse(null);
        String name = kernels.get(kernel).name();
        if (best == null) {
            return new Lost(name, product.name(), Outcome.INCOMPATIBLE, "no build of it was given");
        }
        Outcome outcome = best.at(kernel).outcome();
        return outcome == Outcome.COMPATIBLE ? null : new Lost(name, product.name(), outcome, reason(best, kernel));
    }

    /** What stands against a build on a kernel, or on which other one of its range it does. */
    public String reason(Row row, int kernel) {
        Range range = row.at(kernel);
        int edge = edge(kernels, row.ranges(), row.ranges().indexOf(range));
        return range.reason().isEmpty() || edge == kernel
                ? range.reason()
                : range.reason() + " (on " + Escape.text(kernels.get(edge).name()) + ")";
    }

    /**
     * With what is otherwise than in an earlier run; builds that were not in it are left out, and that one serves no
     * new kernel of a series of which it served none.
     *
     * @param earlier for each build's label the verdicts by the kernel's name
     */
    public MatrixReport since(Map<String, Map<String, Outcome>> earlier) {
        List<Change> found = new ArrayList<>();
        Set<List<String>> served = served(earlier);
        for (int kernel = 0; kernel < kernels.size(); kernel++) {
            String series = kernels.get(kernel).series();
            for (Row row : rows) {
                Map<String, Outcome> verdicts = earlier.get(row.label());
                Range now = row.at(kernel);
                String name = kernels.get(kernel).name();
                Outcome before = verdicts == null ? null : verdicts.get(name);
                if (verdicts != null
                        && before != now.outcome()
                        && (before != null || served.contains(List.of(row.label(), series)))) {
                    boolean last = kernel > 0
                            && kernels.get(kernel - 1).series().equals(series)
                            && row.at(kernel - 1).loads();
                    found.add(new Change(name, row.label(), before, last, now.outcome(), reason(row, kernel)));
                }
            }
        }
        return new MatrixReport(kernels, rows, required, found, problems);
    }

    /** Every build with each series of which it serves a kernel, or did so earlier. */
    private Set<List<String>> served(Map<String, Map<String, Outcome>> earlier) {
        Set<List<String>> served = new HashSet<>();
        for (Row row : rows) {
            Map<String, Outcome> verdicts = earlier.getOrDefault(row.label(), Map.of());
            for (int kernel = 0; kernel < kernels.size(); kernel++) {
                if (row.at(kernel).loads() || verdicts.get(kernels.get(kernel).name()) == Outcome.COMPATIBLE) {
                    served.add(List.of(row.label(), kernels.get(kernel).series()));
                }
            }
        }
        return served;
    }

    /**
     * A kernel.
     *
     * @param name what to call it among the others
     * @param series those it is compared with: {@code 5.14 el9 x86_64}
     */
    public record Kernel(String name, String release, String series) {
        public static final Comparator<Kernel> ORDER = Comparator.comparing(Kernel::series, KernelReleaseOrder.INSTANCE)
                .thenComparing(Kernel::release, KernelReleaseOrder.INSTANCE)
                .thenComparing(Kernel::name);

        public static Kernel of(String name, String release) {
            return new Kernel(name, release, seriesOf(release));
        }

        /** The first two numbers, and every word: distribution, flavour, architecture. */
        private static String seriesOf(String release) {
            StringBuilder series = new StringBuilder();
            String[] parts = release.split("[.+~-]", -1);
            for (int i = 0; i < parts.length; i++) {
                String part = parts[i];
                boolean word = part.chars().anyMatch(Character::isLetter); // also 16k and 64k
                if (word && part.toLowerCase(Locale.ROOT).startsWith("el") && part.indexOf('_') > 0) {
                    part = part.substring(0, part.indexOf('_')); // el9_4 and el9_6 are one series
                }
                if (i < 2 || word) {
                    series.append(i == 0 ? "" : i == 1 && !word ? "." : " ").append(part);
                }
            }
            return series.toString();
        }
    }

    /**
     * A build on all kernels.
     *
     * @param file the package, directory or module as found
     * @param name the package's name, empty if it is none
     * @param version the package's version, empty if it is none
     * @param builtFor releases that its modules were built for, sorted
     * @param modules the number of its modules
     * @param moduleNames the names of its modules, sorted; of one that cannot be read, the name of its file
     * @param ranges its answers, which together cover all kernels in order
     */
    public record Row(
            String file,
            String name,
            String version,
            List<String> builtFor,
            int modules,
            Set<String> moduleNames,
            List<Range> ranges) {
        public Row {
            builtFor = List.copyOf(builtFor);
            moduleNames = Collections.unmodifiableSet(new TreeSet<>(moduleNames));
            ranges = List.copyOf(ranges);
        }

        /** What to call it. */
        public String label() {
            return name.isEmpty() ? file : name + " " + version;
        }

        Range at(int kernel) {
            for (Range range : ranges) {
                if (kernel <= range.last()) {
                    return range;
                }
            }
            throw new IndexOutOfBoundsException(kernel);
        }

        /** On how many kernels all its modules would load. */
        public int serves() {
            return ranges.stream().filter(Range::loads).mapToInt(Range::size).sum();
        }

        /** Returns the layers that could not be checked on kernels that it serves. */
        public SortedSet<String> unchecked() {
            SortedSet<String> unchecked = new TreeSet<>();
            ranges.forEach(range -> unchecked.addAll(range.unchecked()));
            return unchecked;
        }
    }

    /**
     * Kernels of one series, one after the other, with the same answer.
     *
     * @param first index of the oldest
     * @param last index of the newest
     * @param layer what the loader looked at when it found that; empty if they load, or no layer is to be named
     * @param reason why not, at the edge to those that are served; empty if they load; escaped
     * @param summary the same in plain words, without numbers; empty if the reason is plain enough; escaped
     * @param unchecked ids of the layers that could not be checked on one of these kernels; none unless they load
     */
    public record Range(
            int first,
            int last,
            Outcome outcome,
            String layer,
            String reason,
            String summary,
            SortedSet<String> unchecked) {
        public Range {
            unchecked = Collections.unmodifiableSortedSet(new TreeSet<>(unchecked));
        }

        public boolean loads() {
            return outcome == Outcome.COMPATIBLE;
        }

        public int size() {
            return last - first + 1;
        }

        public Range because(String inLayer, String why, String inWords) {
            return new Range(first, last, outcome, inLayer, why, inWords, unchecked);
        }

        public Range unchecking(SortedSet<String> layers) {
            return new Range(first, last, outcome, layer, reason, summary, layers);
        }
    }

    /** The series of a range. */
    public String series(Range range) {
        return kernels.get(range.first()).series();
    }

    /**
     * What is said of a build at once.
     *
     * @param ranges those of one series, in order; or of several, each of which is one range that is not served, for
     *     the same kind of reason
     */
    public record Part(List<String> series, List<Range> ranges) {
        public Part {
            series = List.copyOf(series);
            ranges = List.copyOf(ranges);
        }

        public boolean isFolded() {
            return series.size() > 1;
        }

        /** The range to be shown: of several series the last, as it has the newest kernels. */
        public Range newest() {
            return ranges.get(ranges.size() - 1);
        }

        public int kernels() {
            return ranges.stream().mapToInt(Range::size).sum();
        }
    }

    /** A build's answers by series; behind them the series that are folded. */
    public List<Part> parts(Row row) {
        Map<String, List<Range>> bySeries = new LinkedHashMap<>();
        for (Range range : row.ranges()) {
            bySeries.computeIfAbsent(series(range), none -> new ArrayList<>()).add(range);
        }
        Map<String, List<Range>> alike = new LinkedHashMap<>();
        for (List<Range> ranges : bySeries.values()) {
            Range only = ranges.get(0);
            if (ranges.size() == 1 && !only.loads()) {
                String kind = only.outcome() + " " + only.layer();
                alike.computeIfAbsent(kind, none -> new ArrayList<>()).add(only);
            }
        }
        alike.values().removeIf(ranges -> ranges.size() == 1);
        List<Part> parts = new ArrayList<>();
        for (Map.Entry<String, List<Range>> series : bySeries.entrySet()) {
            if (alike.values().stream()
                    .noneMatch(ranges -> ranges.contains(series.getValue().get(0)))) {
                parts.add(new Part(List.of(series.getKey()), series.getValue()));
            }
        }
        for (List<Range> ranges : alike.values()) {
            parts.add(new Part(ranges.stream().map(this::series).toList(), ranges));
        }
        return parts;
    }

    /** The ranges of these answers, one for each kernel. */
    public static List<Range> ranges(List<Kernel> kernels, List<Outcome> answers) {
        List<Range> ranges = new ArrayList<>();
        int first = 0;
        for (int i = 1; i <= answers.size(); i++) {
            if (i == answers.size()
                    || answers.get(i) != answers.get(first)
                    || !kernels.get(i).series().equals(kernels.get(first).series())) {
                ranges.add(new Range(first, i - 1, answers.get(first), "", "", "", Collections.emptySortedSet()));
                first = i;
            }
        }
        return ranges;
    }

    /** The kernel of a range whose reason is told: the one next to those that are served. */
    public static int edge(List<Kernel> kernels, List<Range> ranges, int index) {
        Range range = ranges.get(index);
        boolean follows = index > 0
                && ranges.get(index - 1).loads()
                && kernels.get(range.first() - 1)
                        .series()
                        .equals(kernels.get(range.first()).series());
        return follows ? range.first() : range.last();
    }

    /** Returns 0 if every build serves every kernel; with requirements, if every product serves those it has to. */
    public ExitCode exitCode() {
        if (kernels.isEmpty() || rows.isEmpty()) {
            return ExitCode.UNUSABLE;
        }
        Set<Outcome> outcomes = new TreeSet<>();
        if (required == null) {
            rows.forEach(row -> row.ranges().forEach(range -> outcomes.add(range.outcome())));
        } else {
            required.lost().forEach(kernel -> outcomes.add(kernel.outcome()));
        }
        if (outcomes.contains(Outcome.INCOMPATIBLE)) {
            return ExitCode.INCOMPATIBLE;
        }
        return outcomes.contains(Outcome.UNDETERMINED) || InputProblem.matter(problems)
                ? ExitCode.UNDETERMINED
                : ExitCode.COMPATIBLE;
    }
}
